"""The digest of the code a task runs: its own package, its tools, and what they import of agents.

A stylesheet, a page or another task is no part of it, so changing them strands no run. Neither are
the texts that a combo carries itself: its nodes read them from there.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from agents import pieces
from canonical import digests

HOUSE = Path(__file__).parent.parent
FLOOR = "agents"


def code_digest(task_type: str, tools: Iterable[object] = (), *, house: Path = HOUSE) -> str:
    """Digest, in hex, over path and bytes of every file that `code_files` names."""
    names = code_files(task_type, tools, house=house)
    rows = [[name, digests.sha256_hex((house / name).read_bytes())] for name in names]
    return digests.tagged("code", rows)


def code_files(task_type: str, tools: Iterable[object] = (), *, house: Path = HOUSE) -> list[str]:
    """The files as paths below `house`, sorted.

    The packages of the task (but for the texts that a combo carries) and of the tools' classes are
    taken whole, data files included; of the rest of this floor the modules that are imported from
    there, and what those import.
    """
    packages = [type(tool).__module__.rpartition(".")[0] for tool in tools]
    waiting = [file for package in packages for file in _package(house, package)]
    task = house / FLOOR / task_type
    waiting += [
        file
        for file in _package(house, f"{FLOOR}.{task_type}")
        if not pieces.is_carried(str(file.relative_to(task)))
    ]
    found: set[str] = set()
    while waiting:
        file = waiting.pop()
        name = str(file.relative_to(house))
        if name not in found:
            found.add(name)
            waiting += _imported(house, file)
    return sorted(found)


def _package(house: Path, name: str) -> list[Path]:
    return [
        file
        for file in house.joinpath(*name.split(".")).rglob("*")
        if file.is_file() and file.suffix != ".pyc" and not file.name.startswith(".")
    ]


def _imported(house: Path, file: Path) -> list[Path]:
    if file.suffix != ".py":
        return []
    names = {name for node in ast.walk(ast.parse(file.read_bytes())) for name in _names(node)}
    places = [house.joinpath(*name.split(".")) for name in names if name.split(".")[0] == FLOOR]
    # Importing a.b.c runs a and a.b too.
    places += [parent for place in places for parent in place.relative_to(house).parents]
    candidates = [house / place.with_suffix(".py") for place in places if place.name]
    candidates += [house / place / "__init__.py" for place in places if place.name]
    return [candidate for candidate in candidates if candidate.is_file()]


def _names(node: ast.AST) -> Iterator[str]:
    """Every module an import statement may mean: `from a import b` may mean a or a.b."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
