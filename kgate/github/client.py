"""
The few requests that kgate makes to GitHub's REST API, with every wait bounded.

Rules: GET and PATCH are repeated after 429, 5xx and a lost connection; POST only where the answer proves that nothing
was created. No redirect is followed, a `Link` only to the same origin. The token is in no repr and in no error.
"""

import json
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
PAGES_LIMIT = 100  # of 100 comments each; GitHub itself stops a pull request at a quarter of that
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
class Author:
    login: str
    kind: str  # "User", "Bot", "Organization"


@dataclass(frozen=True, kw_only=True)
class Comment:
    number: int
    body: str
    author: Author
    url: str


@dataclass(frozen=True, kw_only=True)
class Client:
    """
    Of one repository, "owner/name". `api` is GITHUB_API_URL, so GitHub Enterprise Server works as well.

    Raises DeliveryError from every method: where, what GitHub said, what to do.
    """

    api: str
    repository: str
    token: str = field(repr=False)
    proxy: str = ""
    patience: Patience = field(default_factory=Patience, repr=False)
    purse: Purse = field(default_factory=Purse, repr=False, compare=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        place = urlsplit(self.api)
        if place.scheme != "https" and not (place.scheme == "http" and place.hostname in LOOPBACK):
            raise DeliveryError(f"GITHUB_API_URL: {self.api!r} is no https address; a token is sent nowhere else")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository, re.ASCII):
            raise DeliveryError(f"GITHUB_REPOSITORY: {self.repository!r} is not of the form owner/name")
        if not re.fullmatch(r"[!-~]+", self.token):
            # http.client would refuse it too, and print it.
            raise DeliveryError("the token is empty or holds a character that no token has; pass it as KGATE_TOKEN")

    def comments(self, pull: int) -> Iterator[Comment]:
        """All comments of a pull request, oldest first, through all pages."""
        url = f"{self.api}/repos/{self.repository}/issues/{pull}/comments?per_page=100"
        for _ in range(PAGES_LIMIT):
            entries, link = self._request("GET", url)
            if not isinstance(entries, list):
                raise DeliveryError(f"{self.api}: the comments of pull request {pull} came as no list")
            yield from (comment_of(entry) for entry in entries)
            following = NEXT_PAGE.search(link)
            if following is None:
                return
            url = self._own(following[1])
        raise DeliveryError(f"pull request {pull} has more than {PAGES_LIMIT} pages of comments; read no further")

    def create(self, pull: int, body: str) -> Comment:
        """Raises AmbiguousError where the comment may exist all the same: look for it before trying again."""
        url = f"{self.api}/repos/{self.repository}/issues/{pull}/comments"
        return comment_of(self._request("POST", url, {"body": body})[0])

    def update(self, comment: int, body: str) -> Comment:
        """Raises RefusedError with status 404 where the comment has been deleted meanwhile."""
        url = f"{self.api}/repos/{self.repository}/issues/comments/{comment}"
        return comment_of(self._request("PATCH", url, {"body": body})[0])

    def author(self) -> Author | None:
        """Whose token this is; None for an installation token (GITHUB_TOKEN is one), which may not ask."""
        try:
            return author_of(self._request("GET", f"{self.api}/user")[0])
        except RefusedError as error:
            if error.status in (403, 404):
                return None
            raise

    def _own(self, url: str) -> str:
        ours, theirs = urlsplit(self.api), urlsplit(url)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise DeliveryError(
                f"{self.api}: the next page of comments is said to be at another origin, {theirs.netloc!r}; "
                "not followed, since the token would go there; set GITHUB_API_URL to the API's own address"
            )
        return url

    def _request(self, verb: str, url: str, body: Mapping[str, str] | None = None) -> tuple[Any, str]:
        """Parsed JSON and the `Link` header. Repeats what may be repeated, within `patience`."""
        tries = Tries(self.patience, self.purse)
        while True:
            try:
                status, headers, text = self._once(verb, url, body)
            except OSError as error:
                status, headers, said, problem = 0, {}, "", lost(error)
            else:
                if 200 <= status < 300:
                    return parsed(text, url), headers.get("link", "")
                said = message_of(text)
                problem = f"{verb} {urlsplit(url).path}: {sentence_of(status, said)}"
            wait_s = asked_wait_s(status, headers, said)
            gone = status == 0 or status >= 500
            if verb == "POST" and gone:
                raise AmbiguousError(problem)
            if wait_s is None and not gone:
                raise RefusedError(problem, status)
            self.sleep(tries.next_in_s(wait_s, problem))

    def _once(self, verb: str, url: str, body: Mapping[str, str] | None) -> tuple[int, Mapping[str, str], bytes]:
        """Raises OSError for whatever keeps an answer from arriving whole and in time."""
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
            return response.status, {name.lower(): value for name, value in response.headers.items()}, text
        except HTTPError as error:
            raise OSError(type(error).__name__) from error

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


def from_environment(environ: Mapping[str, str], repository: str) -> Client:
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
    return Client(api=api, repository=repository, token=token, proxy=proxy)


def comment_of(entry: Any) -> Comment:
    """Raises DeliveryError for what is no comment. A deleted user's comment has no author: login and kind are ""."""
    match entry:
        case {"id": int(number), "body": str(body), "user": user}:
            url = entry.get("html_url")
            return Comment(number=number, body=body, author=author_of(user), url=url if isinstance(url, str) else "")
        case {"id": int(number), "body": None, "user": user}:
            return Comment(number=number, body="", author=author_of(user), url="")
    raise DeliveryError("GitHub's answer is no comment (id, body and user are wanted); is GITHUB_API_URL right?")


def author_of(user: Any) -> Author:
    match user:
        case {"login": str(login), "type": str(kind)}:
            return Author(login=login, kind=kind)
        case None:
            return Author(login="", kind="")
    raise DeliveryError("GitHub's answer names no user (login and type are wanted); is GITHUB_API_URL right?")


def parsed(text: bytes, url: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DeliveryError(f"{urlsplit(url).netloc}: the answer is not JSON; is GITHUB_API_URL right?") from None


def lost(error: OSError) -> str:
    return f"GitHub could not be reached, or its answer was lost ({str(error)[:80] or type(error).__name__})"


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
        422: "; the comment was not accepted",
    }.get(status, "")
    limited = "rate limit" in said.lower()
    return f"GitHub answered {status}{f' ({said})' if said else ''}{'' if limited else advice}"
