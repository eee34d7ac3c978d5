"""
What head's custom path does besides answering, held against the fallback's habits: the memory it answers in, the memory
it touches, what it leaves changed behind it. None of it shows in a comparison of numbers.
"""

from collections.abc import Iterator

from kgate.model import FALLBACK, FENCED, HEAD, Case, Run, Tensor
from kgate.rules._law import Said


def habit_said(run: Run, case: Case) -> Said | None:
    """The first that its caller did not ask for."""
    return next((said for habit in (shares, looks, leaves) for said in habit(run, case)), None)


def beyond_said(run: Run, case: Case) -> Said | None:
    """Apart, since it explains numbers that are wrong, and processes that die."""
    return next(beyond(run, case), None)


def beyond(run: Run, case: Case) -> Iterator[Said]:
    """Reads or writes outside its inputs: the process was lost at a fence, or marked bytes are others now."""
    kernel, fenced = run.kernels[case.kernel], run.failed(FENCED, case)
    where = f"{kernel.custom} on workload {case.workload}"
    if fenced is not None and run.answered(HEAD, case) is not None:
        yield Said(
            sentence=f"{where} reads or writes beyond its inputs: {fenced.text}, where the memory behind each of them "
            "cannot be touched; elsewhere it answers",
            evidence={"trace": fenced.detail} if fenced.detail else {},
            advice="Mask the loads and stores of the last tile, and look for a size that is rounded up.",
        )
    if names := facts(run, case, "wrote-outside"):
        yield Said(
            sentence=f"{where} writes outside its input {', '.join(names)}: bytes before, behind or between its "
            "elements have changed",
            advice=f"Write through the strides of {names[0]}, and mask the stores of the last tile.",
        )


def shares(run: Run, case: Case) -> Iterator[Said]:
    kernel = run.kernels[case.kernel]
    where = f"{kernel.custom} on workload {case.workload}"
    for text in apart(run, case, "shared-with-input"):
        output, _, name = text.partition(": ")
        yield Said(
            sentence=f"{where} returns {output} in the memory of its input {name}, which {kernel.fallback} does not",
            advice=f"Return a copy, or declare `mutates: [{name}]` if the caller expects it.",
        )
    # What setup makes may be where the answer is meant to lie.
    for output in () if kernel.setup else apart(run, case, "output-reused"):
        yield Said(
            sentence=f"{where} answers a second call in the memory of its first answer: {output} is no longer what it "
            "was",
            advice="Allocate each output anew; a caller may still hold the last one.",
        )


def looks(run: Run, case: Case) -> Iterator[Said]:
    """Strides, device and type of what it returns."""
    kernel, head, fallback = run.kernels[case.kernel], run.answered(HEAD, case), run.answered(FALLBACK, case)
    if head is None or fallback is None:
        return
    where = f"{kernel.custom} on workload {case.workload}"
    for kind in apart(run, case, "output-types"):
        yield Said(
            sentence=f"{where} returns a {kind}, {kernel.fallback} returns a torch.Tensor",
            advice="Return a plain tensor: a subclass may compute, or answer otherwise, when it is looked at.",
        )
    for index, (output, like) in enumerate(zip(head.outputs, fallback.outputs, strict=False)):
        if output.device != like.device:
            yield Said(
                sentence=f"{where} returns output {index} on {output.device}, {kernel.fallback} on {like.device}",
                advice=f"Return output {index} where {kernel.fallback} does.",
            )
        elif output.shape == like.shape and not stepped_alike(output, like):
            yield Said(
                sentence=f"{where} returns output {index} with strides {list(output.strides)}, {kernel.fallback} with "
                f"{list(like.strides)}",
                advice=f"Return output {index} contiguous, or in the strides of {kernel.fallback}'s.",
            )


def stepped_alike(output: Tensor, like: Tensor) -> bool:
    """Whether a caller that knows the fallback's strides is served: they are the same, or plain C order."""
    stepped = [(n, s, t) for n, s, t in zip(output.shape, output.strides, like.strides, strict=True) if n > 1]
    if 0 in output.shape or all(s == t for _, s, t in stepped):
        return True
    reach = 1
    for size, stride, _ in reversed(stepped):
        if stride != reach:
            return False
        reach *= size
    return True


def leaves(run: Run, case: Case) -> Iterator[Said]:
    """Settings, functions, variables and random numbers that are not as they were."""
    kernel = run.kernels[case.kernel]
    found = facts(run, case, "surroundings")
    if not found:  # as nearly always; all cases' fallbacks need not be asked then
        return
    known = {
        text for (arm, _), answer in run.outcomes.items() if arm == FALLBACK for text in listed(answer, "surroundings")
    }
    changes = [text for text in found if text not in known]
    if changes:
        more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
        yield Said(
            sentence=f"{kernel.custom} on workload {case.workload} leaves changed what its whole process shares: "
            f"{changes[0]}{more}",
            evidence={f"also {n}": text for n, text in enumerate(changes[1:6], 1)},
            advice="Set it back before returning: what else runs in this process computes by it too.",
        )


def facts(run: Run, case: Case, key: str) -> list[str]:
    return listed(run.outcome(HEAD, case), key)


def apart(run: Run, case: Case, key: str) -> list[str]:
    """Head's that are none of the fallback's, where there is a fallback to be held against."""
    usual = listed(run.outcome(FALLBACK, case), key)
    return [] if run.answered(FALLBACK, case) is None else [t for t in facts(run, case, key) if t not in usual]


def listed(outcome: object, key: str) -> list[str]:
    found = getattr(outcome, "facts", {}).get(key, ())
    return [str(text) for text in found] if isinstance(found, list | tuple) else []


def stale(run: Run, case: Case) -> list[str]:
    """Inputs whose new values changed no bit of custom's answer, and the fallback's by more than rounding."""
    heeded = listed(run.outcome(FALLBACK, case), "heeds")
    ignored = facts(run, case, "ignores")
    # Where zero will do for a tiny number, zeros both times tell nothing.
    if run.kernels[case.kernel].subnormals != "flush":
        ignored += facts(run, case, "ignores-in-zeros")
    return [name for name in ignored if name in heeded]
