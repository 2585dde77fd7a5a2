"""What templates print without a filter: every variable of every template, as Django reads them."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.template.base import Node, Token, TokenType, VariableNode
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode

ROOT = Path(__file__).resolve().parents[2] / "templates"

# Filters that show a text we did not write as what it is, or make of it something that is ours.
MARKING = {"shown", "brief", "visible", "short", "count", "age", "moment", "clock", "day", "span"}
MARKING |= {"told", "bytes_", "file_class", "difference", "json_type", "length", "urlencode"}


class Printed(NamedTuple):
    """A variable that a template prints: "row.run.business_key" in "checkpoints/_run_rows.html"."""

    template: str
    variable: str
    filters: tuple[str, ...]

    @property
    def last(self) -> str:
        return self.variable.rpartition(".")[2]

    @property
    def is_marked(self) -> bool:
        return bool(MARKING & set(self.filters))


def printed() -> list[Printed]:
    """Everything that any template prints, also within translated sentences."""
    return [found for path in sorted(ROOT.rglob("*.html")) for found in _of(path)]


def _of(path: Path) -> Iterator[Printed]:
    name = str(path.relative_to(ROOT))
    template = get_template(name).template  # type: ignore[attr-defined]
    for node in template.nodelist.get_nodes_by_type(Node):
        if isinstance(node, VariableNode):
            yield _expression(name, node.filter_expression)
        elif isinstance(node, BlockTranslateNode):
            yield from _translated(name, node)


def _translated(name: str, node: BlockTranslateNode) -> Iterator[Printed]:
    for expression in node.extra_context.values():
        yield _expression(name, expression)
    tokens: list[Token] = [*node.singular, *(node.plural or [])]
    for token in tokens:
        if token.token_type == TokenType.VAR and token.contents not in node.extra_context:
            yield Printed(name, token.contents, ())


def _expression(name: str, expression: object) -> Printed:
    filters = tuple(each[0].__name__ for each in expression.filters)  # type: ignore[attr-defined]
    variable = expression.var  # type: ignore[attr-defined]
    # A constant is our own text.
    return Printed(name, str(getattr(variable, "var", "")), filters)
