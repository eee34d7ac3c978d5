"""The run as the base commit would have been judged, so that a change answers only for what it changes."""

from dataclasses import replace

from kgate.model import BASE, FALLBACK, HEAD, SWITCH_OFF, Arm, Case, Drill, Latency, Route, Run, Terms, Tree


def as_base(run: Run) -> Run:
    """
    `run` with base in head's place: its outcomes, comparisons, kernels, owners and times.

    What head adds or changes (a kernel, a workload, a target, a direction, a package that may be absent) is left out,
    since base never promised it: base's code failing on head's new workload excuses nobody. Base's arms were measured
    and compared under its own limits, those of its entries in the manifest. base/fallback takes the place of
    head/fallback; what base was slower than is not known. The reference is shared: its files are base's wherever base
    has the kernel.
    """
    cases = tuple(c for c in run.cases if declared_in_base(run, c))
    variants = {c: v for c, v in run.variants.items() if v.of in cases}
    known = {*cases, *variants}
    # The fallback that vouches for a variant is asked once, and stands for both.
    shared = {key: o for key, o in run.outcomes.items() if key[0] == FALLBACK and key[1] in variants}
    vouched = {key: o for key, o in run.comparisons.items() if key[0] == FALLBACK and key[1] in variants}
    compared = {(arm, c): o for (a, c), o in run.comparisons.items() if (arm := moved(a)) and c in known}
    return replace(
        run,
        variants=variants,
        kernels={name: run.base_kernels[name] for name in run.kernels if name in run.base_kernels},
        cases=cases,
        drills=tuple(
            replace(d, cases=tuple(c for c in d.cases if c in known)) for d in run.drills if tried_in_base(run, d)
        ),
        outcomes=shared | {(arm, c): o for (a, c), o in run.outcomes.items() if (arm := moved(a)) and c in known},
        comparisons=vouched | compared,
        paces={},
        shift=None,
        latency={c: latency_of_base(run.latency[c]) for c in cases if c in run.latency},
        ownership=run.base_ownership,
        base_ownership={},
        base_kernels={},
        terms=Terms(inventory=run.terms.base_inventory, base_inventory=run.terms.base_inventory),
        base_ran=False,
    )


def declared_in_base(run: Run, case: Case) -> bool:
    """
    Whether base's manifest has this workload with these arguments, for this kind of device and in this direction; with
    other ones it is another workload.
    """
    kernel = run.base_kernels.get(case.kernel)
    if kernel is None or kernel.direction not in (case.direction, "both"):
        return False
    new = next((w for w in run.kernels[case.kernel].workloads if w.name == case.workload), None)
    old = next((w for w in kernel.workloads if w.name == case.workload), None)
    if new is None or old is None or (new.args, new.symbols) != (old.args, old.symbols):
        return False
    # Which architectures a GPU answers to is not known here: of targets that name one, none may be new.
    return ("cuda" if run.on_gpu else "cpu") in old.targets or set(new.targets) <= set(old.targets)


def tried_in_base(run: Run, drill: Drill) -> bool:
    """Whether base has promised to meet this condition: of what may be absent, with the same packages."""
    if drill.kernel not in run.base_kernels:
        return False
    same = run.kernels[drill.kernel].optional == run.base_kernels[drill.kernel].optional
    return same or drill.condition == SWITCH_OFF.condition


def moved(arm: Arm) -> Arm | None:
    """Head's arm for base's; the reference stays; what is head's own falls away."""
    if arm.route is Route.REFERENCE:
        return replace(arm, tree=Tree.HEAD)
    return replace(arm, tree=Tree.HEAD) if arm.tree is Tree.BASE else None


def latency_of_base(latency: Latency) -> Latency:
    """Medians and ratios only: rules do not read the launches."""
    medians = {n: ns for n, ns in latency.median_ns.items() if n not in (HEAD.name, BASE.name)}
    if BASE.name in latency.median_ns:
        medians[HEAD.name] = latency.median_ns[BASE.name]
    ratio = latency.ratio(BASE.name, FALLBACK.name)
    ratios = () if ratio is None else (replace(ratio, above=HEAD.name),)
    return replace(latency, launches=(), median_ns=medians, ratios=ratios)
