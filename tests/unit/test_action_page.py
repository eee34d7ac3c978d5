"""docs/action.md is action.yml in prose; KGATE_REFRESH_GOLDEN=1 rewrites its tables, for review."""

import os
import re

from tests.unit import page_of_action as page

PAGE = page.ROOT / "docs" / "action.md"
BLOCK = re.compile(r"(<!-- (inputs|outputs)( of compile)? -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def made(block: "re.Match[str]") -> str:
    return f"{block[1]}{page.TABLES[block[2] + (block[3] or '')]()}\n{block[5]}"


def test_its_tables_are_those_of_the_action() -> None:
    text = PAGE.read_text()
    wanted = BLOCK.sub(made, text)
    if os.environ.get("KGATE_REFRESH_GOLDEN"):
        PAGE.write_text(wanted)
        text = wanted

    assert text == wanted
    assert [block[2] + (block[3] or "") for block in BLOCK.finditer(text)] == list(page.TABLES)
