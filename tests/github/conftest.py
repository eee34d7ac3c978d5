"""A small GitHub on the loopback interface: issue comments with state, pages, authors, and faults on demand."""

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
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    faults: list[Callable[[str, Callable[[], Answer]], Answer | None]] = field(default_factory=list)
    next_link: str = ""  # in place of the right one

    def say(self, body: str, user: dict[str, str] | None) -> dict[str, Any]:
        number = 1000 + len(self.comments)
        entry = {"id": number, "body": body, "user": user, "html_url": f"{self.url}/c/{number}"}
        self.comments.append(entry)
        return entry

    def answer(self, verb: str, target: str, body: dict[str, str]) -> Answer:
        place = urlsplit(target)
        if place.path == "/user":
            return (200, {}, self.me) if self.me else (403, {}, {"message": "Resource not accessible by integration"})
        if verb == "POST":
            return 201, {}, self.say(body["body"], self.me or BOT)
        if verb == "PATCH":
            found = [c for c in self.comments if c["id"] == int(place.path.rsplit("/", 1)[1])]
            if not found:
                return 404, {}, {"message": "Not Found"}
            found[0]["body"] = body["body"]
            return 200, {}, found[0]
        return self.page(place.path, parse_qs(place.query))

    def page(self, path: str, query: dict[str, list[str]]) -> Answer:
        page, size = int(query.get("page", ["1"])[0]), int(query.get("per_page", ["30"])[0])
        entries = self.comments[(page - 1) * size : page * size]
        if page * size >= len(self.comments):
            return 200, {}, entries
        following = self.next_link or f"{self.url}{path}?per_page={size}&page={page + 1}"
        return 200, {"Link": f'<{self.url}{path}?page=1>; rel="first", <{following}>; rel="next"'}, entries


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

        do_GET = do_POST = do_PATCH = do

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
    return Client(api=fake.url, repository="acme/ops", token=TOKEN, sleep=waited.append)


@pytest.fixture
def writes(fake: FakeGitHub) -> Callable[[], list[str]]:
    """Verbs that change something, in order, as the server saw them."""
    return lambda: [verb for verb, path in fake.requests if verb != "GET" and re.match(r"/repos/acme/ops/", path)]
