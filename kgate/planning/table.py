"""A plan for people, for programs, and as a workflow's matrix. Names are a repository's: escaped for a terminal."""

import json
import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kgate import __version__
from kgate.escape import plain
from kgate.figures import count
from kgate.planning import OnDevice, Planned
from kgate.planning.choice import Choice, Status

FORMAT = 1  # raised when a reader of the old form would misread the new one
WIDTH = 100


def text(found: Planned) -> str:
    against = f"base {found.base[:9]} ({found.why_base})" if found.base else f"no base ({found.why_base})"
    lines = wrapped(f"{plain(found.manifest)}: {against}", 2)
    for device in found.devices:
        lines += of_device(device, found.shards)
    lines += [line for remark in found.remarks for line in wrapped(f"remark: {plain(remark)}", 2)]
    return "\n".join([*lines, "Nothing was measured."]) + "\n"


def of_device(found: OnDevice, shards: int) -> Iterator[str]:
    measured = [c for c in found.choices if c.measured]
    carried = [c for c in found.choices if not c.measured]
    unit = "minutes" if found.device == "cpu" else "GPU minutes"
    cost = f", {predicted(measured, unit)}" if measured else ""
    required = "" if found.required else f" (not required: {plain(found.demand.why)})"
    yield (
        f"{plain(found.device)}{required}: {counted(measured)} to measure{cost}; "
        f"{count(sum(len(c.cases) for c in carried), 'case')} of {count(len(carried), 'kernel')} carried"
    )
    for choice in measured:
        size = f"{count(len(choice.cases), 'case')}, {predicted([choice], unit)}"
        yield from wrapped(f"  {choice.status.value:<9} {plain(choice.kernel)} ({size}): {plain(choice.why)}", 12)
    runs = dict.fromkeys((c.proof.run, c.proof.commit, c.proof.started) for c in carried if c.proof)
    for run, commit, started in runs:
        mine = [c for c in carried if c.proof and c.proof.run == run]
        names = ", ".join(c.kernel for c in mine)
        head = f"  carried   {counted(mine)} from run {run} of {started[:10]}, commit {commit[:9]}: {names}"
        yield from wrapped(plain(head, 10_000), 12)
    for shard in range(1, shards + 1) if shards > 1 else ():
        of_shard = [c for c in measured if found.shards[c.kernel] == shard]
        yield f"  shard {shard}/{shards}: {counted(of_shard)}" + (f", {predicted(of_shard, unit)}" if of_shard else "")


def counted(choices: Sequence[Choice]) -> str:
    return f"{count(sum(len(c.cases) for c in choices), 'case')} of {count(len(choices), 'kernel')}"


def predicted(choices: Sequence[Choice], unit: str) -> str:
    """`about 3.4 GPU minutes`, with what is not known said."""
    minutes, unknown = summed(choices)
    if unknown == len(choices):
        return f"{unit} unknown"
    more = f" and {count(unknown, 'kernel')} of which it is unknown" if unknown else ""
    return f"about {minutes:.1f} {unit}{more}"


def summed(choices: Iterable[Choice]) -> tuple[float, int]:
    """Minutes of those that are known, and how many are not."""
    minutes = [c.minutes for c in choices]
    return math.fsum(m for m in minutes if m is not None), sum(m is None for m in minutes)


def document(found: Planned) -> str:
    """JSON, against schemas/plan.schema.json: what `kgate check --plan` reads."""
    body = {
        "format": FORMAT,
        "kgate": __version__,
        "manifest": found.manifest,
        "manifest_sha256": found.manifest_sha256,
        "head": found.head,
        "head_tree": found.head_tree,
        "base": found.base,
        "shards": found.shards,
        "remarks": list(found.remarks),
        "legs": list(legs(found)),
        "devices": [
            {
                "device": device.device,
                "required": device.required,
                "waived": device.demand.waived,
                "why": device.demand.why,
                "kernels": [kernel(choice, device.shards[choice.kernel]) for choice in device.choices],
            }
            for device in found.devices
        ],
    }
    return json.dumps(body, indent=1, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n"


def kernel(choice: Choice, shard: int) -> dict[str, Any]:
    proof = choice.proof
    return {
        "name": choice.kernel,
        "status": choice.status.value,
        "why": choice.why,
        "touched": list(choice.touched),
        "cases": list(choice.cases),
        "minutes": choice.minutes,
        "shard": shard,
        "carried": {
            "run": proof.run,
            "commit": proof.commit,
            "started": proof.started,
            "must_match": dict(sorted(proof.must_match.items())),
            "product": list(choice.product),
        }
        if proof
        else None,
    }


def legs(found: Planned) -> Iterator[dict[str, Any]]:
    """A job each: a device and a shard of it. A leg with nothing to measure still compares the fingerprint."""
    for device in found.devices:
        for shard in range(1, found.shards + 1):
            mine = [c for c in device.choices if device.shards[c.kernel] == shard]
            minutes, unknown = summed(c for c in mine if c.measured)
            yield {
                "name": f"{device.device}-{shard}of{found.shards}",
                "gpu": device.device,
                "shard": shard,
                "shards": found.shards,
                "required": device.required,
                "waived": device.demand.waived,
                "measured": sum(c.measured for c in mine),
                "carried": sum(not c.measured for c in mine),
                "minutes": None if unknown else minutes,
            }


def matrix(found: Planned) -> str:
    """
    One line, for `strategy: {matrix: ${{ fromJSON(…) }}}`. A runner that is waived may be away, and a job would wait
    for it for a day; left out are also shards beyond the first that are empty.
    """
    wanted = [leg for leg in legs(found) if not leg["waived"] and (leg["shard"] == 1 or filled(leg))]
    kept = ("name", "gpu", "shard", "shards", "required")
    include = [{name: leg[name] for name in kept} for leg in wanted]
    return json.dumps({"include": include}, separators=(",", ":")) + "\n"


def filled(leg: Mapping[str, Any]) -> bool:
    return bool(leg["measured"] or leg["carried"])


def wrapped(line: str, further: int) -> list[str]:
    indent = " " * further
    first = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.lstrip(),
        WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


FORMATS = {"text": text, "json": document}
__all__ = ["FORMATS", "Status", "matrix"]
