"""Changes of source text that no linter makes: each keeps every byte it does not mean to change."""

import ast
import io
import tokenize
import warnings
from collections.abc import Callable, Iterator

Codemod = Callable[[bytes], bytes]
Insertion = tuple[int, bytes]  # at this byte of the source

ARGUMENTS_BEFORE_ENCODING = 3  # open(file, mode, buffering, encoding)
LOGGER_NAMES = ("log", "logger", "logging", "_log", "_logger", "LOG", "LOGGER")


def explicit_encoding(source: bytes) -> bytes:
    """Say `encoding="utf-8"` wherever text is opened by the built-in `open` without saying it.

    Without it the bytes written depend on the machine's locale. Left alone: binary modes, modes
    that are not spelt out, calls that pass an encoding by position, and files that have an `open`
    of their own. Raises `SyntaxError`.
    """
    tree = _tree(source) if b"open" in source else None
    if tree is None or _binds(tree, "open"):
        return source
    starts = _line_starts(source)
    return _inserted(
        source,
        (
            (place, b', encoding="utf-8"')
            for call in _calls(tree)
            if _opens_text(call) and (place := _after_last_argument(call, source, starts))
        ),
    )


def logger_warning(source: bytes) -> bytes:
    """Call `logger.warning` where the deprecated alias `logger.warn` is called.

    Raises `SyntaxError`.
    """
    tree = _tree(source) if b".warn" in source else None
    if tree is None:
        return source
    starts = _line_starts(source)
    return _inserted(
        source,
        (
            (_offset(starts, call.func.end_lineno, call.func.end_col_offset), b"ing")
            for call in _calls(tree)
            if isinstance(call.func, ast.Attribute) and _warns(call.func)
        ),
    )


CODEMODS: dict[str, Codemod] = {
    "explicit-encoding": explicit_encoding,
    "logger-warning": logger_warning,
}


def _tree(source: bytes) -> ast.Module | None:
    """None unless the file is plain UTF-8: only there are the tree's columns bytes of the file."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    if encoding != "utf-8":
        return None
    with warnings.catch_warnings(action="ignore"):  # its invalid escapes are not our subject
        return ast.parse(source)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _binds(tree: ast.AST, name: str) -> bool:
    """Whether the file itself gives `name` another meaning anywhere outside of a class."""
    methods = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for child in node.body
    }
    taken = {name, "*"}
    return any(
        taken.intersection(_bound(node)) for node in ast.walk(tree) if id(node) not in methods
    )


def _bound(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(alias.asname or alias.name for alias in node.names)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return (node.id,)
    return (node.arg,) if isinstance(node, ast.arg) else ()


def _opens_text(call: ast.Call) -> bool:
    if not (isinstance(call.func, ast.Name) and call.func.id == "open") or not call.args:
        return False
    if len(call.args) > ARGUMENTS_BEFORE_ENCODING:
        return False
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in named or "encoding" in named:
        return False
    mode = call.args[1] if len(call.args) > 1 else named.get("mode", ast.Constant("r"))
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and "b" not in mode.value


def _warns(called: ast.Attribute) -> bool:
    owner = called.value
    name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
    return called.attr == "warn" and name in LOGGER_NAMES


def _after_last_argument(call: ast.Call, source: bytes, starts: list[int]) -> int | None:
    """Where a further argument may stand; None where a bracket or a comma makes that unsure."""
    last = max(
        _offset(starts, part.end_lineno, part.end_col_offset)
        for part in [*call.args, *(keyword.value for keyword in call.keywords)]
    )
    closing = _offset(starts, call.end_lineno, call.end_col_offset) - 1
    return last if not source[last:closing].strip() else None


def _line_starts(source: bytes) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _offset(starts: list[int], line: int | None, column: int | None) -> int:
    return starts[(line or 1) - 1] + (column or 0)


def _inserted(source: bytes, insertions: Iterator[Insertion]) -> bytes:
    for place, text in sorted(insertions, reverse=True):
        source = source[:place] + text + source[place:]
    return source
