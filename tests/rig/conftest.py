"""
kgate's GitHub side against programs that nobody here wrote: `emulate` plays GitHub, `prism` stands before it and holds
every request against GitHub's own description of its API, `mountebank` breaks what is to break.

`make rig` installs them below node_modules and runs these tests; elsewhere they are listed as not run. Each test has a
repository of its own in the emulator, which is never reset.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kgate.github.client import Client
from kgate.github.connection import Connection
from kgate.github.patience import Patience
from tests.rig.programs import HERE, MODULES, NODE, SUBSET, Program, asked, free_port, started

VIOLATION = re.compile(r"Violation: request\S* .*")
WRITES = {"contents": "read", "pull_requests": "write"}  # as a workflow gives to the job that comments
number = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.real)
            if not (MODULES.is_dir() and NODE.exists()):
                item.add_marker(pytest.mark.skip(reason="not run: `make rig` installs what it needs, and runs it"))


@dataclass(frozen=True, kw_only=True)
class GitHub:
    """`direct` is the emulator; `url` is prism in front of it, which is what its links begin with."""

    direct: str
    url: str
    jwt: str = field(repr=False)
    contract: Program

    def token(self, permissions: Mapping[str, str] = WRITES) -> str:
        """Of the app that GITHUB_TOKEN belongs to, with these permissions and no other."""
        url = f"{self.direct}/app/installations/100/access_tokens"
        return str(asked(url, self.jwt, "POST", {"permissions": dict(permissions)})["token"])

    def violations(self) -> list[str]:
        """Of the requests of all clients so far, against GitHub's description."""
        return VIOLATION.findall(self.contract.said())


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A repository of admin's with one pull request."""

    github: GitHub
    name: str
    pull: int
    head: str

    @property
    def place(self) -> str:
        return f"{self.github.direct}/repos/{self.name}"

    def client(self, token: str = "", api: str = "", **changes: Any) -> Client:
        """With the emulator's bot as author and no real waits, through prism unless another `api` is named."""
        told = {"sleep": lambda seconds: None, **changes}
        connection = Connection(api=api or self.github.url, token=token or self.github.token(), **told)
        return Client(connection=connection, repository=self.name)

    def job(self, folder: Path, event: str, payload: object) -> dict[str, str]:
        """Variables of a job on this repository; its event and a run's results are put into `folder`."""
        (folder / "event.json").write_text(json.dumps(payload))
        (folder / "report.json").write_text(json.dumps({"verdict": "fail", "manifest": "kgate.yaml", "pull": 1}))
        (folder / "comment.md").write_text("❌ **kgate: fail.** 1 finding blocks this change.\n")
        return {
            "GITHUB_API_URL": self.github.url,
            "GITHUB_REPOSITORY": self.name,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_RUN_ID": "12",
            "GITHUB_RUN_ATTEMPT": "1",
        }

    def say(self, login: str, body: str) -> None:
        asked(f"{self.place}/issues/{self.pull}/comments", f"token-of-{login}", "POST", {"body": body})

    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for page in itertools.count(1):
            entries = asked(f"{self.place}/issues/{self.pull}/comments?per_page=100&page={page}", "token-of-admin")
            found += entries
            if len(entries) < 100:
                break
        return found

    def of_the_bot(self) -> list[str]:
        return [c["body"] for c in self.comments() if c["user"]["login"] == "github-actions[bot]"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rig")


@pytest.fixture(scope="session")
def github(folder: Path) -> Iterator[GitHub]:
    """Both are started at once, since each takes a second."""
    behind, before = free_port(), free_port()
    prism = [
        "node_modules/.bin/prism",
        "proxy",
        "-h",
        "127.0.0.1",
        "-p",
        str(before),
        str(SUBSET),
        f"http://127.0.0.1:{behind}",
    ]
    emulator = ["github.mjs", str(behind), f"http://127.0.0.1:{before}"]
    with ExitStack() as stack:
        emulate = stack.enter_context(started(emulator, behind, folder / "emulate.log"))
        contract = stack.enter_context(started(prism, before, folder / "prism.log"))
        jwt = json.loads(emulate.said().splitlines()[0])["jwt"]
        yield GitHub(direct=emulate.url, url=contract.url, jwt=jwt, contract=contract)


@pytest.fixture
def repository(github: GitHub) -> Iterator[Repository]:
    """Fails where a request of the test's is none that GitHub's description allows."""
    before = len(github.violations())
    name = f"admin/r{next(number)}"
    asked(f"{github.direct}/user/repos", "token-of-admin", "POST", {"name": name.partition("/")[2], "auto_init": True})
    opened = {"title": "A change", "head": "feature", "base": "main"}
    pull = asked(f"{github.direct}/repos/{name}/pulls", "token-of-admin", "POST", opened)
    yield Repository(github=github, name=name, pull=pull["number"], head=pull["head"]["sha"])
    assert github.violations()[before:] == []


Break = Callable[..., str]


@pytest.fixture(scope="session")
def mountebank(folder: Path) -> Iterator[Program]:
    port = free_port()
    command = ["node_modules/.bin/mb", "start", "--localOnly", "--allowInjection", "--nologfile", "--port", str(port)]
    with started([*command, "--pidfile", str(folder / "mb.pid")], port, folder / "mountebank.log") as program:
        yield program


@pytest.fixture
def broken(mountebank: Program, github: GitHub) -> Iterator[Break]:
    """
    An address where GitHub is as it is, but for answers to requests of one verb whose path matches: those are the given
    ones, one after the other, and then it is as it is again. An answer is one of mountebank's, or a change of the right
    one in JavaScript: of `response`, whose body is an object, once the request was carried out.
    """
    ports, before = list[int](), len(mountebank.said())

    def made(verb: str, path: str, *answers: Any) -> str:
        port = free_port()
        passing = {"proxy": {"to": github.url, "mode": "proxyTransparent"}}
        told = [decorated(passing, answer) if isinstance(answer, str) else answer for answer in answers]
        matching = {"predicates": [{"equals": {"method": verb}}, {"matches": {"path": path}}]}
        stubs = [{**matching, "responses": [*told, {**passing, "repeat": 1000}]}, {"responses": [passing]}]
        asked(
            f"{mountebank.url}/imposters",
            "",
            "POST",
            {"port": port, "protocol": "http", "host": "127.0.0.1", "stubs": stubs},
        )
        ports.append(port)
        return f"http://127.0.0.1:{port}"

    yield made
    for port in ports:
        asked(f"{mountebank.url}/imposters/{port}", "", "DELETE")
    assert "injection X=>" not in mountebank.said()[before:]  # a change that does not do what it is to do


def decorated(passing: dict[str, Any], change: str) -> dict[str, Any]:
    script = f"(config) => {{ const response = config.response; {change} }}"
    return {**passing, "behaviors": [{"decorate": script}]}


@pytest.fixture
def impatient() -> dict[str, Any]:
    """For a client whose server is not to answer: gives up quickly."""
    return {"patience": Patience(read_s=0.5, tries=2)}
