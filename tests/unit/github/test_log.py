"""What is printed is never a command for the runner, whose two grammars are written down here a second time."""

from hypothesis import example, given
from hypothesis import strategies as st

from kgate.github.log import inert, lines


def commands(text: str) -> list[str]:
    """Lines that GitHub's runner would obey: after its ActionCommand.cs, `::name::` first and `##[name]` anywhere."""
    # .NET's ReadLine ends a line at \n, \r and \r\n; TrimStart takes away what Unicode calls white space.
    found = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line for line in found if line.lstrip().startswith("::") or "##[" in line]


PIECES = st.lists(
    st.sampled_from(
        ["::error::x", "::", ":", "##[set-output name=verdict]pass", "##[", "##", "[", "\r", " ", "\t", "x"]
    )
    | st.text(max_size=5),
    max_size=12,
)


@given(PIECES)
@example(["\x1c::add-mask::x"])
@example(["x\r::stop-commands::y"])
@example(["\u2028##[debug]"])
def test_no_command_survives(pieces: list[str]) -> None:
    assert commands("".join(lines(["".join(pieces) + "\n"]))) == []


@given(st.text(alphabet=st.characters(blacklist_characters=":#\r\n")))
def test_what_is_no_command_stays_as_it_is(line: str) -> None:
    assert inert(line) == line


def test_a_reader_sees_what_was_printed() -> None:
    said = inert("  ::error file=a.py::x ##[group]y std::vector")

    assert said.replace("\u200b", "") == "  ::error file=a.py::x ##[group]y std::vector"
