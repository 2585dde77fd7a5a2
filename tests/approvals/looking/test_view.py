"""The text a model is given: lines are lines, nothing hides, and what is left out is counted."""

from approvals.looking import view
from approvals.looking.view import Raw, Writer, as_lines


def written(*raws: Raw, name: str = "a.py") -> view.View:
    writer = Writer()
    writer.part(name, raws)
    return writer.done()


def test_lines_are_numbered_through_all_parts_and_can_be_found_again() -> None:
    writer = Writer()
    writer.part("facts", [Raw("one")])
    writer.part("a.py", [Raw("+two", "file/1/1", None, 7)])
    shown = writer.done()
    assert shown.text == "part facts\n1| one\npart a.py\n2| +two"
    line = shown.line(2)
    assert line is not None
    assert (line.path, line.part, line.text, line.new) == ("a.py", "file/1/1", "+two", 7)
    assert (shown.line(0), shown.line(3)) == (None, None)


def test_no_character_hides_and_none_begins_a_line_of_its_own() -> None:
    shown = written(Raw("a\u200bb\u202ec\r\n9| +fake\u2028part facts"), name="a\npart facts")
    assert len(shown.text.split("\n")) == 2
    assert "⟦U+200B⟧" in shown.text
    assert "⟦U+202E⟧" in shown.text
    assert "⟦U+000A⟧part facts" in shown.text
    assert "\u2028" not in shown.text


def test_bytes_that_are_no_text_can_be_sent_and_stored() -> None:
    shown = written(Raw(b"\xff\xfe\x00".decode("utf-8", "surrogateescape")))
    assert "\x00" not in shown.text.encode().decode()


def test_a_long_line_is_cut_and_says_how_much() -> None:
    shown = written(Raw("x" * 1000))
    assert "600 more characters are left out" in shown.text
    assert shown.left_out.characters == 600


def test_a_long_part_leaves_room_for_others_and_counts_its_lines() -> None:
    writer = Writer()
    writer.part("long", (Raw("y" * 100) for _ in range(1000)))
    writer.part("short", [Raw("here")])
    shown = writer.done()
    kept = sum(line.path == "long" for line in shown.lines)
    assert shown.left_out.lines == 1000 - kept
    assert f"({1000 - kept} more lines of this part are left out)" in shown.text
    assert "part short" in shown.text


def test_what_has_a_total_is_not_read_to_its_end() -> None:
    read: list[int] = []

    def lines() -> object:
        for number in range(10_000):
            read.append(number)
            yield Raw("z" * 100)

    writer = Writer()
    writer.part("huge", lines(), total=10_000)  # type: ignore[arg-type]
    assert len(read) < 100
    assert writer.done().left_out.lines > 9_900


def test_a_view_is_bounded_whatever_there_is_and_counts_whole_parts() -> None:
    writer = Writer()
    for number in range(5_000):
        writer.part(f"file_{number}.py", (Raw("w" * 300) for _ in range(50)))
    shown = writer.done()
    assert len(shown.text) < view.MOST_CHARACTERS + 2 * view.LONGEST_LINE
    parts = {line.path for line in shown.lines}
    assert shown.left_out.parts == 5_000 - len(parts)
    assert f"({shown.left_out.parts} more parts are left out)" in shown.text


def test_the_digest_is_of_every_character() -> None:
    assert written(Raw("a")).digest == written(Raw("a")).digest
    assert written(Raw("a")).digest != written(Raw("b")).digest


def test_lines_of_a_text_are_counted_as_its_page_counts_them() -> None:
    assert [raw.new for raw in as_lines("a\nb\n", "text/1")] == [1, 2]
