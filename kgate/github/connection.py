"""
Requests to GitHub's REST API, with every wait bounded.

Rules: GET, PATCH and DELETE are repeated after 429, 5xx, a lost connection and an answer that cannot be read; POST only
where the answer proves that nothing was created. No redirect is followed, a `Link` only to the same origin. The token
is in no repr and in no error.
"""

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kgate import __version__
from kgate.errors import DeliveryError
from kgate.github.patience import Patience, Purse, Tries, asked_wait_s

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

API_VERSION = "2022-11-28"
BODY_LIMIT_BYTES = 16 << 20  # of one answer: 100 comments of 65,536 characters are at most half of it, but for escapes
PAGES_LIMIT = 100  # of 100 entries each; GitHub itself stops a pull request at a quarter of that
LOOPBACK = ("localhost", "127.0.0.1", "::1")
NEXT_PAGE = re.compile(r'<([^>]*)>\s*;[^,]*\brel="?next"?')


class AmbiguousError(DeliveryError):
    """A POST whose answer was lost: it may or may not have been carried out."""


class RefusedError(DeliveryError):
    """GitHub's final no, with its status."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`status` 0: none came, or none that can be read; `problem` then says why. `link` is the header of that name."""

    status: int
    content: Any = None
    link: str = ""
    problem: str = ""
    wait_s: float | None = None  # what GitHub asks for before the next try

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """Nobody knows whether the request was carried out."""
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True, kw_only=True)
class Connection:
    """
    `api` is GITHUB_API_URL, so GitHub Enterprise Server works as well; paths are below it, as "/repos/acme/ops".

    Raises DeliveryError from every method: where, what GitHub said, what to do.
    """

    api: str
    token: str = field(repr=False)
    proxy: str = ""
    patience: Patience = field(default_factory=Patience, repr=False)
    purse: Purse = field(default_factory=Purse, repr=False, compare=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    chance: Callable[[], float] = field(default=random.random, repr=False)  # 0 to 1; spreads the retries

    def __post_init__(self) -> None:
        place = urlsplit(self.api)
        if place.scheme != "https" and not (place.scheme == "http" and place.hostname in LOOPBACK):
            raise DeliveryError(f"GITHUB_API_URL: {self.api!r} is no https address; a token is sent nowhere else")
        if not re.fullmatch(r"[!-~]+", self.token):
            # http.client would refuse it too, and print it.
            raise DeliveryError("the token is empty or holds a character that no token has; pass it as KGATE_TOKEN")

    def get(self, path: str) -> Any:
        return self._request("GET", self.api + path).content

    def send(self, verb: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        """Raises AmbiguousError where a POST may have been carried out all the same: look before trying again."""
        return self._request(verb, self.api + path, body).content

    def pages(self, path: str, what: str, key: str = "") -> Iterator[Any]:
        """
        All entries of a list, through all its pages; under `key` where GitHub wraps the list in an object. `what` names
        the list in messages.
        """
        url = f"{self.api}{path}{'&' if '?' in path else '?'}per_page=100"
        for _ in range(PAGES_LIMIT):
            answer = self._request("GET", url)
            entries = answer.content.get(key) if key and isinstance(answer.content, dict) else answer.content
            if not isinstance(entries, list):
                raise DeliveryError(f"{self.api}: {what} came as no list")
            yield from entries
            following = NEXT_PAGE.search(answer.link)
            if following is None:
                return
            url = self._own(following[1])
        raise DeliveryError(f"{what}: more than {PAGES_LIMIT} pages; read no further")

    def _own(self, url: str) -> str:
        ours, theirs = urlsplit(self.api), urlsplit(url)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise DeliveryError(
                f"{self.api}: the next page is said to be at another origin, {theirs.netloc!r}; "
                "not followed, since the token would go there; set GITHUB_API_URL to the API's own address"
            )
        return url

    def _request(self, verb: str, url: str, body: Mapping[str, str] | None = None) -> Answer:
        """A good answer. Repeats what may be repeated, within `patience`."""
        tries = Tries(self.patience, self.purse, self.chance)
        while True:
            answer = self._once(verb, url, body)
            if answer.good:
                return answer
            if verb == "POST" and answer.gone:
                raise AmbiguousError(answer.problem)
            if answer.wait_s is None and not answer.gone:
                raise RefusedError(answer.problem, answer.status)
            self.sleep(tries.next_in_s(answer.wait_s, answer.problem))

    def _once(self, verb: str, url: str, body: Mapping[str, str] | None) -> Answer:
        from urllib3.exceptions import HTTPError

        headers = {
            "Accept": "application/vnd.github+json, application/json;q=0.9",
            "Authorization": f"Bearer {self.token}",
            "User-Agent": f"kgate/{__version__}",
            "X-GitHub-Api-Version": API_VERSION,
        }
        try:
            with self._pool() as pool:
                response = pool.request(
                    verb, url, json=body, headers=headers, redirect=False, retries=False, preload_content=False
                )
                with response:
                    text = self._read(response)
        except (HTTPError, OSError) as error:
            why = str(error)[:80] if isinstance(error, TimeoutError) else type(error).__name__
            return Answer(status=0, problem=f"GitHub could not be reached, or its answer was lost ({why})")
        return answer_of(verb, url, response.status, {k.lower(): v for k, v in response.headers.items()}, text)

    def _read(self, response: "BaseHTTPResponse") -> bytes:
        deadline = time.monotonic() + self.patience.answer_s
        body = b""
        for chunk in response.stream(1 << 16):
            body += chunk
            if len(body) > BODY_LIMIT_BYTES:
                raise DeliveryError(f"{self.api}: an answer of more than {BODY_LIMIT_BYTES} bytes; read no further")
            if time.monotonic() > deadline:
                raise TimeoutError("answer too slow")
        return body

    def _pool(self) -> "PoolManager":
        import urllib3

        timeout = urllib3.Timeout(connect=self.patience.connect_s, read=self.patience.read_s)
        if self.proxy:
            return urllib3.ProxyManager(self.proxy, timeout=timeout)
        return urllib3.PoolManager(timeout=timeout)


def from_environment(environ: Mapping[str, str]) -> Connection:
    """Token from KGATE_TOKEN, else GITHUB_TOKEN; the API's address from GITHUB_API_URL; a proxy as curl finds it."""
    from urllib.request import getproxies, proxy_bypass

    api = environ.get("GITHUB_API_URL", "").rstrip("/")
    if not api:
        raise DeliveryError("GITHUB_API_URL is not set; GitHub Actions sets it, elsewhere set it to the API's address")
    token = environ.get("KGATE_TOKEN", "").strip() or environ.get("GITHUB_TOKEN", "").strip()
    if not token:
        raise DeliveryError("no token to comment with; pass one as KGATE_TOKEN (the action's input `token`)")
    place = urlsplit(api)
    proxy = "" if proxy_bypass(place.hostname or "") else getproxies().get(place.scheme, "")
    return Connection(api=api, token=token, proxy=proxy)


def answer_of(verb: str, url: str, status: int, headers: Mapping[str, str], text: bytes) -> Answer:
    """Names of headers in lower case. A good answer that is no JSON, cut short for instance, is none."""
    if 200 <= status < 300:
        try:
            content = json.loads(text) if text else None
        except (ValueError, RecursionError):
            where = urlsplit(url).netloc
            return Answer(status=0, problem=f"{where}: the answer is not JSON; is GITHUB_API_URL right?")
        return Answer(status=status, content=content, link=headers.get("link", ""))
    said = message_of(text)
    problem = f"{verb} {urlsplit(url).path}: {sentence_of(status, said)}"
    return Answer(status=status, problem=problem, wait_s=asked_wait_s(status, headers, said))


def message_of(text: bytes) -> str:
    """GitHub's own words about a refusal, in short and printable; "" if there are none."""
    try:
        message = json.loads(text).get("message", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return "".join(c for c in str(message)[:120] if c.isprintable())


def sentence_of(status: int, said: str) -> str:
    """What GitHub answered, and what to do about it."""
    moved = "; the repository has moved: use its new name"
    advice = {
        301: moved,
        302: "; no redirect is followed",
        307: moved,
        308: moved,
        401: "; the token is not valid: pass a fresh one",
        403: "; the job needs `permissions: pull-requests: write` (a pull request from a fork never has it)",
        404: "; is it the right repository, and may the token see it?",
        410: "; comments are switched off here",
        422: "; what was sent was not accepted",
    }.get(status, "")
    limited = "rate limit" in said.lower()
    return f"GitHub answered {status}{f' ({said})' if said else ''}{'' if limited else advice}"
