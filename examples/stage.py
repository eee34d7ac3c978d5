"""
Copies an example to a folder of its own, as a git repository with its commits: `python stage.py NAME FOLDER`.

kgate compares a change with the commit before it and reads CODEOWNERS from git, so an example has to be a repository.
Authors and dates are fixed: the same files give the same commits on every machine. Prints the folder.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Per commit: its message, and the folders whose files are laid over what the commit before left.
EXAMPLES = {
    "quickstart": (
        ("Three operators in TileLang", ("quickstart", "quickstart.base")),
        ("Copy tensors that start at an odd address", ("quickstart",)),
    ),
    "broken": (
        ("Seven operators in TileLang", ("broken/base",)),
        ("Tidy up the operators", ("broken/head",)),
    ),
    "gallery": (("Eight operators, each in up to three DSLs", ("gallery",)),),
}
AUTHOR = {
    "GIT_AUTHOR_NAME": "Acme",
    "GIT_AUTHOR_EMAIL": "kernels@acme.example",
    "GIT_COMMITTER_NAME": "Acme",
    "GIT_COMMITTER_EMAIL": "kernels@acme.example",
}
FIRST_COMMIT_S = 1_767_225_600  # 2026-01-01, in seconds since 1970; each commit is a day later than the one before
DAY_S = 86_400


def git(folder: Path, *arguments: str, date_s: int = FIRST_COMMIT_S) -> None:
    # The user's and the machine's own configuration could sign commits, run hooks or rewrite line ends.
    env = os.environ | AUTHOR | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    # Set by a git hook that runs this script; they would point git at another repository.
    env = {name: value for name, value in env.items() if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    env |= {"GIT_AUTHOR_DATE": f"{date_s} +0000", "GIT_COMMITTER_DATE": f"{date_s} +0000"}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=env, stdout=subprocess.DEVNULL)


def stage(name: str, folder: Path) -> Path:
    """Makes the repository; `folder` must be new or empty. Returns it. Raises FileExistsError otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder")
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number, (message, layers) in enumerate(EXAMPLES[name]):
        for layer in layers:
            ignored = shutil.ignore_patterns("__pycache__", ".kgate")
            shutil.copytree(HERE / layer, folder, dirs_exist_ok=True, ignore=ignored)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", f"--message={message}", date_s=FIRST_COMMIT_S + number * DAY_S)
    return folder


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in EXAMPLES:
        print(f"usage: stage.py {{{','.join(EXAMPLES)}}} FOLDER", file=sys.stderr)
        return 2
    try:
        print(stage(arguments[0], Path(arguments[1])))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"stage.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
