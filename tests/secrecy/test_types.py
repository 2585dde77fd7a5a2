"""A sink that is handed a text which nobody redacted does not pass the type check."""

import ast
import subprocess
import sys
from pathlib import Path

from tests.own_words import OWN_WORDS

ROOT = Path(__file__).resolve().parents[2]
REFUSED = ROOT / "tests" / "secrecy" / "refused.py"
FLOORS = (
    "canonical",
    "tenants",
    "checkpoints",
    "approvals",
    "reconciliation",
    "execution",
    "releases",
)


def test_every_call_that_leaks_is_refused() -> None:
    lines = REFUSED.read_text().splitlines()
    leaking = [n for n, line in enumerate(lines, 1) if "# type: ignore[" in line]
    said = "\n".join(line.replace("# type: ignore[", "# refused: [") for line in lines)
    shadow = ROOT / "var" / "refused_without_ignores.py"
    shadow.parent.mkdir(exist_ok=True)
    shadow.write_text(said)
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--shadow-file",
                str(REFUSED),
                str(shadow),
                str(REFUSED),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shadow.unlink()
    here = [line for line in done.stdout.splitlines() if "refused.py" in line]
    refused = {int(line.split(":")[1]) for line in here if ": error:" in line}
    assert sorted(refused) == leaking, done.stdout + done.stderr


def test_what_takes_our_own_words_is_checked_for_them() -> None:
    """mypy reads `LiteralString` as `str`: the plugin must know each function that says it."""
    for floor in FLOORS:
        for path in (ROOT / floor).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for place, name in own_words_of(ast.parse(path.read_text())):
                known = OWN_WORDS.get(f"{module}.{name}")
                assert known == () or place in (known or ()), f"{module}.{name}"


def own_words_of(tree: ast.Module) -> list[tuple[int, str]]:
    """Every function or dataclass with a parameter of our own words, and its place."""
    taken: list[tuple[str, list[ast.expr | None]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            taken.append((node.name, [each.annotation for each in every]))
        elif isinstance(node, ast.ClassDef):
            fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
            taken.append((node.name, [each.annotation for each in fields]))
    return [
        (place, name)
        for name, annotations in taken
        for place, each in enumerate(annotations)
        if each is not None and ast.unparse(each) in ("Said", "LiteralString")
    ]
