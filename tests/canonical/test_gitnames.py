"""File names as git writes them."""

import pytest

from canonical.gitnames import BadName, header_names, plain_name, unquoted


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("plain.py", "plain.py"),
        ('"tab\\tquote\\"back\\\\"', 'tab\tquote"back\\'),
        ('"caf\\303\\251"', "café"),
        ('"\\377\\376"', "\\xff\\xfe"),
        ('"é\\n"', "é\n"),
        ('"\\342\\200\\256"', "\u202e"),
        ('""', ""),
    ],
)
def test_quotes_are_taken_away(written: str, name: str) -> None:
    assert unquoted(written) == name


@pytest.mark.parametrize(
    "written", ['"', '"a', '"a" ', '"a"b"', '"\\q"', '"\\9"', '"\\777"', '"\\"']
)
def test_quotes_git_would_not_write_are_refused(written: str) -> None:
    with pytest.raises(BadName):
        unquoted(written)


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("a/x b/x", ("x", "x")),
        ("a/x b/x b/x b/x", ("x b/x", "x b/x")),
        ("a/one b/two", None),
        ("x x", None),
        ("", None),
        ('"a/\\t" "b/\\t"', ("\t", "\t")),
        ('a/plain "b/q\\""', ("plain", 'q"')),
        ('"a/q\\"" b/plain', ('q"', "plain")),
    ],
)
def test_a_header_names_two_files_or_says_it_cannot(
    rest: str, names: tuple[str, str] | None
) -> None:
    assert header_names(rest) == names


def test_a_missing_prefix_is_refused() -> None:
    with pytest.raises(BadName, match="without the prefix a/"):
        plain_name("src/x.py", "a/")
    with pytest.raises(BadName, match="without the prefix a/"):
        header_names('"src/\\t" "src/\\t"')


def test_no_file_is_none_and_a_time_is_no_name() -> None:
    assert plain_name("/dev/null", "a/") is None
    assert plain_name("a/with blank\t", "a/") == "with blank"
    assert plain_name('"a/\\t"', "a/") == "\t"
    assert plain_name('"a/\\303\\244 b"\t', "a/") == "ä b"


def test_a_hostile_header_takes_no_longer_than_its_length() -> None:
    assert header_names("a/" + ' "\\' * 300_000) is None
    with pytest.raises(BadName):
        unquoted('"' + '\\"' * 300_000)
