"""A survey as the text of a manifest: beside each line what it rests on, and a placeholder where nobody can know."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgate.captured import flow, writer
from kgate.drafting import named
from kgate.escape import plain
from kgate.load.placeholders import WORD
from kgate.survey import Subject, Survey

WIDTH = 120
COLUMN = 50  # where comments begin, if there is room
ALONE = ("triton", "cutile", "cutedsl", "cuda")  # DSLs whose kernels run on GPUs alone
HEAD = """\
# Proposed by `kgate init` from reading this repository; nothing was run. Every line says what it rests on: read it, and
# mend what is wrong. {word} stands where nobody but you can know; `kgate check` names each of those in a sentence.
# All fields: `kgate schema manifest`. What was understood: `kgate check --list`.
version: 1
"""
POLICY = """\
# Until `kgate calibrate` has passed on this runner, latency warns and blocks nothing.
policy:
  slower-than-base: warn
  slower-than-fallback: warn
  slower-than-baseline: warn
"""
TESTS = "sizes of the tests: put those of production in their place, `kgate capture` records them"
NO_CALLS = "no call with sizes was found: record some with `kgate capture`, or write args and workloads by hand"


def text(found: Survey, expires: str) -> str:
    """`expires`: the day, as YYYY-MM-DD, until which code that is no product's needs no entry."""
    lines = [*HEAD.format(word=WORD).splitlines(), *top(found), *ignored(found, expires), "", *POLICY.splitlines()]
    lines += ["", "kernels:"]
    unowned = [subject for subject in found.subjects if not subject.owners.text]
    for subject in found.subjects:
        lines += kernel(subject, owners(subject, unowned))
    return "\n".join((*lines, *unreached(found))) + "\n"


def top(found: Survey) -> Iterator[str]:
    if found.python.text:
        yield line(0, "python", found.python.text, found.python.why)
    else:
        yield commented("# python: .venv/bin/python", f"the interpreter that has torch; {found.python.why}")
    if found.build.text:
        yield line(0, "build", found.build.text, f"{found.build.why}; runs in each arm's tree")


def ignored(found: Survey, expires: str) -> Iterator[str]:
    if found.aside:
        yield commented("ignore:", "kernels that are shown or run by hand, and no product's; decide until then")
    for folder in found.aside:
        reason = {"path": f"{folder}/", "reason": "not called by the product, by its folder's name", "expires": expires}
        yield f"  - {line(0, 'x', reason).removeprefix('x: ')}"


def unreached(found: Survey) -> Iterator[str]:
    if found.left:
        yield from ("", "# No function that launches these was found; `kgate check` calls them kernel-unlisted:")
        yield from (f"#   {name}, {plain(native.place)}" for name, native in found.left)


def kernel(subject: Subject, owned: str) -> Iterator[str]:
    entry = subject.entry
    yield ""
    yield f"  {entry.name}:"
    yield owned
    yield line(2, "dsl", entry.dsl, *(f"{n.how}, {n.place}" for n in entry.natives[:1]))
    yield line(2, "dispatch", entry.dispatch.text, entry.dispatch.why)
    for key, guess in (("custom", entry.custom), ("fallback", entry.fallback)):
        if guess is not None:
            yield line(2, key, guess.text or f"{WORD}:{entry.name}", guess.why)
    yield from switch(subject)
    if entry.device:
        yield line(2, "device_kernels", [f"{name}*" for name in entry.device], "proof that the custom path ran")
    yield line(2, "targets", targets(subject), why_targets(subject))
    yield from arguments(subject)


def owners(subject: Subject, unowned: Sequence[Subject]) -> str:
    """One placeholder for all that nobody is named for, so that it is filled in once."""
    if subject.owners.text:
        return line(2, "owners", subject.owners.text.split(), subject.owners.why)
    if subject is not unowned[0]:
        return "    owners: *owners"
    anchor = "" if len(unowned) == 1 else "&owners "
    return commented(f'    owners: {anchor}["@{WORD}"]', subject.owners.why)


def switch(subject: Subject) -> Iterator[str]:
    found = subject.switch
    if found is not None:
        value = {"env": found.env, "custom": found.custom, "fallback": found.fallback, "read": found.read}
        doubt = "" if found.sure else "; its values are a guess"
        yield line(2, "switch", value, f"read in {found.place}{doubt}")
    elif subject.entry.custom is not None:
        yield '    # switch: {env: ACME_FUSED, custom: "1", fallback: "0"}    # none was found; on-call wants one'


def targets(subject: Subject) -> Sequence[str]:
    """A kernel of tests that name no device runs on CPUs as well, if its DSL can."""
    if subject.entry.dsl in ALONE or subject.use is None:
        return ["cuda"]
    devices = {device.partition(":")[0] for device in subject.use.devices}
    found = [kind for kind in ("cuda", "cpu") if kind in devices]
    return found or (["cuda", "cpu"] if "?" in devices else ["cpu"])


def why_targets(subject: Subject) -> str:
    if subject.entry.dsl in ALONE:
        return f"{subject.entry.dsl} runs on GPUs"
    return f"the devices of {subject.use.test}" if subject.use else "where the kernel is meant to run"


def arguments(subject: Subject) -> Iterator[str]:
    use = subject.use
    if use is None:
        yield line(2, "workloads", {}, NO_CALLS)
        return
    yield commented("    args:", f"as {use.test} calls it, {use.place}")
    for name, value in use.args.items():
        yield line(3, name, value)
    if use.mutates:
        yield line(2, "mutates", list(use.mutates), "the test hands them over without values")
    yield commented("    workloads:", TESTS)
    source = f"test: {use.test}, {use.place.path}"
    for name, workload in workloads(use.rows).items():
        yield line(3, name, {**workload, "source": source})
        source = "same"


def workloads(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(rows or ({},), 1):
        # A symbol that ends in a digit would run into its value.
        apart = {f"{symbol}_" if symbol[-1].isdigit() else symbol: value for symbol, value in row.items()}
        found[named(apart, number, found)] = row
    return found


def line(depth: int, key: str, value: Any, *why: str) -> str:
    """`key: value    # why`, or the comment above where it would be too long."""
    stream = io.StringIO()
    writer().dump({key: flow(value)}, stream)
    return commented("  " * depth + stream.getvalue().strip(), "".join(why))


def commented(text: str, why: str) -> str:
    if not why:
        return text
    said = plain(why)
    beside = f"{text:<{COLUMN}}  # {said}"
    indent = " " * (len(text) - len(text.lstrip()))
    return beside if len(beside) <= WIDTH else f"{indent}# {said}\n{text}"
