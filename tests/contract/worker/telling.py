"""
What an adapter tells in a process of its own, under the user's interpreter:

    python telling.py DSL used|ARCH module:function...

One line of JSON for each function, which is called once within the adapter's context. Picks of autotuners, as JSON in
the variable PICKS, are frozen first.
"""

import contextlib
import hashlib
import importlib
import json
import os
import sys
from typing import Any

from kgate.worker import adapters, cubin, pretence
from kgate.worker.architectures import ARCHITECTURES
from kgate.worker.faults import Fault, foreign


def told(found: adapters.Built) -> dict[str, Any]:
    codes = cubin.read(found.cubin) if found.cubin else ()
    code = next((code for code in codes if code.kernel == found.kernel), None)
    return {
        "kernel": found.kernel,
        "arch": found.arch,
        "elf_sha256": hashlib.sha256(found.cubin).hexdigest() if found.cubin else "",
        "code": vars(code) if code else None,
        "texts": dict(found.texts),
        "dynamic_shared_bytes": found.dynamic_shared_bytes,
        "config": dict(found.config),
        "compile_ns": found.compile_ns,
        "note": found.note,
    }


def described(returned: Any) -> list[Any] | None:
    return [list(returned.shape), str(returned.dtype), str(returned.device)] if hasattr(returned, "shape") else None


def main(dsl: str, how: str, *entries: str) -> None:
    adapter = adapters.adapter(dsl)
    adapter.freeze(json.loads(os.environ.get("PICKS", "{}")))
    dry = how != "used"
    with pretence.put_in_place(ARCHITECTURES[how]) if dry else contextlib.nullcontext():
        for entry in entries:
            module, _, name = entry.partition(":")
            answer: dict[str, Any] = {"built": [], "error": None, "returned": None}
            before = adapter.compiles()
            try:
                with adapter.dry(how) if dry else adapter.used() as built:
                    call = getattr(importlib.import_module(module), name)
                    answer["returned"] = described(foreign("run", call, adapter.is_compile_error))
            except Fault as fault:
                answer["error"] = [fault.rung, fault.reason, fault.text]
            if answer["error"] is None or answer["error"][0] != "environment":
                answer["built"] = [told(one) for one in built]
            answer["tuned"] = dict(adapter.tuned())
            answer["spaces"] = {key: list(listed) for key, listed in adapter.spaces().items()}
            after = adapter.compiles()
            answer["compiles"] = after.since(before).count if before and after else None
            print(json.dumps(answer), flush=True)


main(*sys.argv[1:])
