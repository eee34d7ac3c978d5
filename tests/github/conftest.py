"""A small GitHub on the loopback interface: a pull request and its comments with state, and faults on demand."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from kgate.github.client import Client
from kgate.github.connection import Connection

HEAD = "a" * 40
TOKEN = "ghs_a-token-that-no-message-may-show"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
Answer = tuple[int, dict[str, str], Any]


@dataclass
class FakeGitHub:
    """
    `faults` are taken from the front, one a request; each gets the request's verb and a function that carries it out,
    and gives an answer, or None to let the request pass. "reset" as an answer's status cuts the connection.
    """

    url: str = ""
    me: dict[str, str] | None = None  # None: an installation token, which may not ask who it is
    head: str = HEAD  # of pull request 7
    opened: list[dict[str, Any]] = field(default_factory=list)  # pull requests of the branch that is asked for
    comments: list[dict[str, Any]] = field(default_factory=list)
    said: int = 0
    requests: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    faults: list[Callable[[str, Callable[[], Answer]], Answer | None]] = field(default_factory=list)
    next_link: str = ""  # in place of the right one

    def say(self, body: str, user: dict[str, str] | None) -> dict[str, Any]:
        number, self.said = 1000 + self.said, self.said + 1
        entry = {"id": number, "body": body, "user": user, "html_url": f"{self.url}/c/{number}"}
        self.comments.append(entry)
        return entry

    def answer(self, verb: str, target: str, body: dict[str, str]) -> Answer:
        place = urlsplit(target)
        if place.path == "/user":
            return (200, {}, self.me) if self.me else (403, {}, {"message": "Resource not accessible by integration"})
        if place.path == "/repos/acme/ops/pulls":
            return 200, {}, self.opened
        if place.path == "/repos/acme/ops/pulls/7":
            return 200, {}, pull_of(self.head)
        if verb == "POST":
            return 201, {}, self.say(body["body"], self.me or BOT)
        if verb in ("PATCH", "DELETE"):
            return self.change(verb, int(place.path.rsplit("/", 1)[1]), body)
        return self.page(place.path, parse_qs(place.query))

    def change(self, verb: str, number: int, body: dict[str, str]) -> Answer:
        found = [c for c in self.comments if c["id"] == number]
        if not found:
            return 404, {}, {"message": "Not Found"}
        if verb == "DELETE":
            self.comments.remove(found[0])
            return 204, {}, b""
        found[0]["body"] = body["body"]
        return 200, {}, found[0]

    def page(self, path: str, query: dict[str, list[str]]) -> Answer:
        page, size = int(query.get("page", ["1"])[0]), int(query.get("per_page", ["30"])[0])
        entries = self.comments[(page - 1) * size : page * size]
        if page * size >= len(self.comments):
            return 200, {}, entries
        following = self.next_link or f"{self.url}{path}?per_page={size}&page={page + 1}"
        return 200, {"Link": f'<{self.url}{path}?page=1>; rel="first", <{following}>; rel="next"'}, entries


def pull_of(head: str, number: int = 7, theirs: int = 1) -> dict[str, Any]:
    """As GitHub tells of a pull request, of repository 1 unless it is of a fork."""
    return {
        "number": number,
        "head": {"sha": head, "repo": {"id": theirs}},
        "base": {"sha": "b" * 40, "repo": {"id": 1}},
        "user": {"login": "octo", "type": "User"},
    }


def handler_of(fake: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else {}
            fake.requests.append((self.command, self.path))
            fake.headers.append({k.lower(): v for k, v in self.headers.items()})

            def carry_out() -> Answer:
                return fake.answer(self.command, self.path, body)

            answer = fake.faults.pop(0)(self.command, carry_out) if fake.faults else None
            status, headers, content = answer or carry_out()
            if status == 0:
                self.close_connection = True
                return
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(text)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = do

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    github = FakeGitHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(github))
    github.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield github
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def waited() -> list[float]:
    """The seconds that the client asked to sleep; nothing sleeps in these tests."""
    return []


@pytest.fixture
def client(fake: FakeGitHub, waited: list[float]) -> Client:
    return Client(
        connection=Connection(api=fake.url, token=TOKEN, sleep=waited.append, chance=lambda: 0.0), repository="acme/ops"
    )


@pytest.fixture
def writes(fake: FakeGitHub) -> Callable[[], list[str]]:
    """Verbs that change something, in order, as the server saw them."""
    return lambda: [verb for verb, path in fake.requests if verb != "GET" and re.match(r"/repos/acme/ops/", path)]
