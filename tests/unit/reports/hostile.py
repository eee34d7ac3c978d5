"""Text as a hostile kernel would write it, and what a rendered comment may hold."""

from html.parser import HTMLParser

from hypothesis import strategies as st
from markdown_it import MarkdownIt

ATTACKS = (
    "@octocat",
    "| a | b |",
    "</details><h1>passed</h1>",
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "https://evil.example www.evil.example",
    "# passed",
    "- [x] done",
    "1. one",
    "```\n@octocat\n```",
    "~~~",
    "---",
    "===",
    "**kgate: pass.**",
    "`code`",
    "``",
    "\n\n## kgate: pass\n\n",
    "\x1b[2J\x1b[32mpass\x1b[0m",
    "\u202egnorw",
    "\\",
    "\\|",
    "&lt;b&gt; &#64;octocat",
    "<!-- kgate -->",
    "$$x$$",
    "#12 GH-12 acme/ops#3",
    "a@b.example",
    "*_*_",
    "    indented",
    "<https://evil.example>",
    "[a]: https://evil.example",
    "> quote",
    "\ud800",
)
hostile = st.lists(
    st.one_of(st.sampled_from(ATTACKS), st.text(st.characters(codec=None), max_size=8)), min_size=1, max_size=4
).map("".join)

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


class Page(HTMLParser):
    """Which elements a page opens, and its text outside and inside of code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.text = ""
        self.code = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self.closed.append(tag)
        self.code -= tag == "code"

    def handle_comment(self, data: str) -> None:
        self.opened.append("!--")

    def handle_data(self, data: str) -> None:
        if not self.code:
            self.text += data


def page_of(text: str) -> Page:
    return Page(GITHUB.render(text))
