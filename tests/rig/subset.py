"""
Makes openapi.json: those parts of GitHub's own description of its REST API that kgate uses, for prism to hold every
request of the client against. `python tests/rig/subset.py FOLDER`, where FOLDER is the unpacked npm package
@octokit/openapi of the version below (`npm pack`), which is too large to be installed for a test. Its licence, MIT,
goes to openapi.LICENSE.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = (
    "npm package @octokit/openapi 23.0.2, generated/api.github.com.json, from github.com/github/rest-api-description"
)
LICENCE = "openapi.LICENSE"
USED = {
    "/user": ("get",),
    "/repos/{owner}/{repo}/pulls": ("get",),
    "/repos/{owner}/{repo}/pulls/{pull_number}": ("get",),
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews": ("get",),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("get", "post"),
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": ("patch", "delete"),
    "/repos/{owner}/{repo}/collaborators/{username}/permission": ("get",),
    "/repos/{owner}/{repo}/statuses/{sha}": ("post",),
    "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": ("get",),
    "/repos/{owner}/{repo}/rules/branches/{branch}": ("get",),
}
PROSE = ("description", "externalDocs", "x-github")  # read by people alone
KEPT = ("parameters", "requestBody", "responses", "operationId")
HERE = Path(__file__).resolve().parent


def subset(whole: dict[str, Any]) -> dict[str, Any]:
    paths = {path: chosen(whole["paths"][path], verbs) for path, verbs in USED.items()}
    return {
        "openapi": whole["openapi"],
        "info": {
            "title": "GitHub's REST API, what kgate uses of it",
            "version": whole["info"]["version"],
            "license": {"name": "MIT"},
            "x-source": SOURCE,
            "x-licence": LICENCE,
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": components(whole, paths),
    }


def chosen(path: dict[str, Any], verbs: tuple[str, ...]) -> dict[str, Any]:
    """The operations that are used; no examples, which are most of the description."""
    operations = {verb: {key: path[verb][key] for key in KEPT if key in path[verb]} for verb in verbs}
    return {verb: without_prose(operation) for verb, operation in operations.items()}


def components(whole: dict[str, Any], paths: dict[str, Any]) -> dict[str, Any]:
    """All that `paths` refer to, and what that refers to."""
    found: dict[str, dict[str, Any]] = {}
    waiting = list(references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name not in found.setdefault(kind, {}):
            value = without_prose(whole["components"][kind][name])
            found[kind][name] = value
            waiting += references(value)
    return {kind: dict(sorted(entries.items())) for kind, entries in sorted(found.items()) if kind != "examples"}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def without_prose(value: Any, *, names: bool = False) -> Any:
    """`names`: the keys are names of the API's own, such as a property called "description"."""
    if isinstance(value, list):
        return [without_prose(item) for item in value]
    if not isinstance(value, dict):
        return value
    dropped = () if names else (*PROSE, "example", "examples")
    kept = {
        k: without_prose(v, names=k in ("properties", "responses") and not names)
        for k, v in value.items()
        if k not in dropped
    }
    if (not names and "content" in kept) or "headers" in kept:
        kept["description"] = ""  # a response has to have one
    return kept


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    text = (folder / "generated" / "api.github.com.json").read_text(encoding="utf-8")
    made = json.dumps(subset(json.loads(text)), indent=1, sort_keys=True, ensure_ascii=False)
    (HERE / "openapi.json").write_text(made + "\n", encoding="utf-8")
    shutil.copyfile(folder / "LICENSE", HERE / LICENCE)
