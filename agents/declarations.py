"""The tools that this installation declares in files: other services, without code."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from agents.tools import declaring
from agents.tools.errors import BadDeclaration
from agents.tools.wire.reach import Reach
from reconciliation.tools import Tool

Json = Any

# Loaded when a file asks for one: the client for stores takes longer to load than all the rest.
KINDS: Final = {
    "http": ("agents.tools.http.tool", "HttpTool"),
    "objects": ("agents.tools.objects.tool", "PutDocument"),
    "sql": ("agents.tools.sql.tool", "SqlTool"),
}


def tools(folder: str, reach: Reach) -> list[Tool]:
    """The tools of all `*.json` in a folder, by file name; none when no folder is named.

    Raises `BadDeclaration`: an installation with one bad file does not start.
    """
    if not folder:
        return []
    if not Path(folder).is_dir():
        raise BadDeclaration(f"there is no folder {folder}")
    found = [tool(path, reach) for path in sorted(Path(folder).glob("*.json"))]
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise BadDeclaration(f"two files declare a tool {name}")
    return found


def tool(path: Path, reach: Reach) -> Tool:
    """The tool that a file declares. Raises `BadDeclaration`, naming the file."""
    document = declaring.read_file(path)
    try:
        return _made(document, reach)
    except BadDeclaration as error:
        raise BadDeclaration(f"{path.name}: {error}") from error


def _made(document: Mapping[str, Json], reach: Reach) -> Tool:
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadDeclaration(f"kind must be one of {', '.join(KINDS)}")
    module, name = KINDS[kind]
    made: Tool = getattr(import_module(module), name).declared(document, reach)
    return made
