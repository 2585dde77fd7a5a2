"""What an approval is bound to, in words: each field, what stood there, and what it means that it moved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from approvals.hashing import Difference
from canonical import display
from tenants.amounts import short

Words = str | Promise

# Every field of `hashing.Bound`, and `requirement`, which stands beside it.
FIELDS: Final[dict[str, Words]] = {
    "tenant": gettext_lazy("The tenant"),
    "run_id": gettext_lazy("The run"),
    "action_id": gettext_lazy("The action"),
    "tool": gettext_lazy("The tool"),
    "tool_schema_digest": gettext_lazy("The version of the tool"),
    "acting_credential": gettext_lazy("Who it acts as"),
    "parameters_digest": gettext_lazy("The exact bytes to be sent"),
    "rules_version": gettext_lazy("The rules"),
    "resources": gettext_lazy("What the dry run looked at"),
    "diff_digest": gettext_lazy("The change as shown"),
    "volatile": gettext_lazy("What may differ in the change"),
    "volatile_version": gettext_lazy("The version of what may differ"),
    "nonce": gettext_lazy("The number of the question"),
    "expires_at": gettext_lazy("When the question expires"),
    "requirement": gettext_lazy("Who must decide"),
    "rules": gettext_lazy("What the rules say"),
}
MEANS: Final[dict[str, Words]] = {
    "diff_digest": gettext_lazy("Another change would be made than the one you read."),
    "parameters_digest": gettext_lazy("Other bytes would be sent."),
    "rules_version": gettext_lazy("It is judged by other rules now."),
    "tool_schema_digest": gettext_lazy("The tool takes, gives or does something else now."),
    "acting_credential": gettext_lazy("It would be done in another name."),
    "volatile": gettext_lazy("Another part of the change is left out of the comparison."),
    "volatile_version": gettext_lazy("Another part of the change is left out of the comparison."),
    "requirement": gettext_lazy("Other people, or more of them, must say yes."),
    "rules": gettext_lazy("Nobody can allow it now."),
}
RESOURCE: Final = "resources."
# Two questions never share these, so their difference says nothing about the content.
OF_EVERY_QUESTION: Final = frozenset({"nonce", "expires_at"})
DIGESTS: Final = frozenset(
    {"tool_schema_digest", "parameters_digest", "rules_version", "diff_digest"}
)
SHORTENED: Final = 32
MOST_NAMES: Final = 8


@dataclass(frozen=True)
class Value:
    """What stood in a field, as shown; `whole` when a long version or digest was shortened."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class Row:
    """One line of a three-way table, in words."""

    name: str
    saw: Value
    now: Value
    difference: str


def rows(moved: Iterable[Difference], files: Sequence[str] | None = None) -> list[Row]:
    """The lines of the table; `files` names those about which two diffs of files differ."""
    return [
        Row(
            name(difference.field),
            _value(difference.field, difference.saw),
            _value(difference.field, difference.now),
            _difference(difference, files),
        )
        for difference in moved
        if difference.field not in OF_EVERY_QUESTION
    ]


def name(field: str) -> str:
    """A bound field as people call it; a resource by its own name."""
    if field.startswith(RESOURCE):
        return display.visible(field.removeprefix(RESOURCE))
    return str(FIELDS.get(field, field.replace("_", " ")))


def named(moved: Iterable[Difference]) -> str:
    """The names of what moved in one line, "" for nothing; for records, so in the source language."""
    with override(None):
        names = [name(difference.field) for difference in moved]
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        return ", ".join(names[:MOST_NAMES]) + more


def _value(field: str, value: str | None) -> Value:
    is_resource = field.startswith(RESOURCE)
    if value is None:
        return Value(_("not looked at") if is_resource else _("nothing"))
    if not value:
        return Value(_("not there") if is_resource else _("nothing"))
    whole = display.visible(value)
    if (is_resource or field in DIGESTS) and len(whole) >= SHORTENED:
        return Value(short(whole), whole)
    return Value(whole)


def _difference(moved: Difference, files: Sequence[str] | None) -> str:
    if moved.field == "diff_digest" and files is not None:
        return _files(files)
    if moved.field.startswith(RESOURCE):
        return _of_resource(moved)
    return str(MEANS.get(moved.field, _("It is another one now.")))


def _of_resource(moved: Difference) -> str:
    if moved.saw is None:
        return _("It is looked at now, and was not before.")
    if moved.now is None:
        return _("It is not looked at any more.")
    if not moved.saw:
        return _("It appeared in between.")
    if not moved.now:
        return _("It disappeared in between.")
    return _("It moved in between.")


def _files(files: Sequence[str]) -> str:
    names = ", ".join(display.visible(name) for name in files[:MOST_NAMES])
    more = _(" and %(n)s more") % {"n": len(files) - MOST_NAMES}
    return names + (more if len(files) > MOST_NAMES else "") or _("the order of its files")
