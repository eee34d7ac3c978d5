"""What GitHub's own settings make of the check: whether it is required, from whom, and whose workflows wait."""

from collections.abc import Iterator, Sequence

from kgate.doctor.lines import Line, State
from kgate.doctor.repository.practice import CHECK
from kgate.github.answers import BranchRule
from kgate.github.settings import Settings

ACTIONS = 15368  # the id of GitHub Actions as an App, the same for every repository of github.com
WHY = {
    "required check": "a verdict that no rule requires stops no merge",
    "check source": "whoever may push a branch can write a workflow whose job has the same name and passes",
    "fork approval": "a pull request from a fork runs its code on your machines",
}
ALL_WAIT = "all_external_contributors"
ASK_AGAIN = "set GITHUB_API_URL, and KGATE_TOKEN to a token that may read the repository's administration; look again"
SOURCE = (
    "require the workflow itself by an organisation's ruleset, or name an App of your own as the check's source; "
    "else have .github/ owned in CODEOWNERS and require review of code owners"
)


def lines(found: Settings) -> Iterator[Line]:
    if found.rules is None:
        reason = found.reasons.get("rules", "GitHub did not tell")
        yield from (not_run(topic, reason) for topic in ("required check", "check source"))
    else:
        yield from of_rules(found.branch, found.rules)
    if found.approval is None:
        yield not_run("fork approval", found.reasons.get("approval", "GitHub did not tell"))
    elif found.approval == ALL_WAIT:
        yield line("fork approval", "workflows of all outside contributors wait for somebody's approval")
    else:
        text = f"`{found.approval}`: who has been merged once runs code on your machines unasked"
        yield line(
            "fork approval", text, "under Settings, Actions, General, require approval for all outside contributors"
        )


def of_rules(branch: str, rules: Sequence[BranchRule]) -> Iterator[Line]:
    if any(rule.kind == "workflows" for rule in rules):
        yield line("required check", f"a ruleset requires workflows on {branch}")
        yield line("check source", "the workflow that is required comes from where the change cannot reach")
        return
    sources = [check.get("integration_id") for check in checks(rules) if named(str(check.get("context", "")))]
    if not sources:
        found = f"no ruleset requires `{CHECK}` on {branch} (rules of the older kind, branch protection, are not read)"
        yield line("required check", found, f"add a ruleset for {branch} that requires the status check `{CHECK}`")
        return
    yield line("required check", f"`{CHECK}` is required on {branch}")
    own = [source for source in sources if source not in (None, ACTIONS)]
    if own:
        yield line("check source", f"only the App {own[0]} can set it")
    else:
        whose = "any workflow of GitHub Actions" if ACTIONS in sources else "anybody who may write"
        yield line("check source", f"{whose} can set it", SOURCE)


def checks(rules: Sequence[BranchRule]) -> Iterator[dict[str, object]]:
    for rule in rules:
        given = rule.parameters.get("required_status_checks") if rule.kind == "required_status_checks" else None
        yield from (each for each in given if isinstance(each, dict)) if isinstance(given, list) else ()


def named(context: str) -> bool:
    """A called workflow's job is shown behind its caller's: `kgate / kgate`."""
    return context.rpartition("/")[2].strip() == CHECK


def line(topic: str, found: str, fix: str = "") -> Line:
    return Line(topic=topic, state=State.LOOK if fix else State.OK, found=found, why=WHY[topic], fix=fix)


def not_run(topic: str, reason: str) -> Line:
    return Line(topic=topic, state=State.NOT_RUN, found=reason, why=WHY[topic], fix=ASK_AGAIN)
