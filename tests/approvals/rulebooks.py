"""Documents of rules for tests: examples, and strategies that make any document and spoil it."""

from typing import Any

from hypothesis import strategies as st

Json = Any

DAY = 24 * 3600
PLAIN: dict[str, Any] = {
    "name": "a-person",
    "tool": "pay",
    "then": "ask",
    "who": {"permission": "approve_actions"},
    "people": 1,
    "expires_after_seconds": DAY,
}
TWO_ROLES: dict[str, Any] = {
    "name": "two-roles",
    "tool": "pay",
    "tenants": ["acme"],
    "if": {"magnitude": {"amount": {"over": 1000}, "currency": {"equals": "EUR"}}},
    "then": "ask",
    "quorum": [
        {"who": {"group": "treasury"}, "people": 1},
        {"who": {"named": ["eve@example.org"]}, "people": 1},
    ],
    "expires_after_seconds": 3600,
    "reauthenticate": True,
    "second_look": "acknowledge",
}
SMALL: dict[str, Any] = {
    "name": "small",
    "tool": "pay",
    "if": {
        "reversibility": ["reversible", "compensable"],
        "magnitude": {"amount": {"under": 100}},
        "sums": [{"of": "amount", "seconds": DAY, "under": 500}],
        "parameters": {"/to": {"in": ["a", "b"]}, "/urgent": {"equals": False}},
        "diff": {"bytes": {"under": 10_000}},
    },
    "then": "allow",
    "expires_after_seconds": 600,
}
NEVER: dict[str, Any] = {
    "name": "never",
    "tool": "*",
    "if": {"target": {"prefix": "prod/"}, "diff": {"files": {"over": 100}}},
    "then": "deny",
    "because": "Production is changed by hand.",
}
EXAMPLES = [PLAIN, TWO_ROLES, SMALL, NEVER]


def book(*rules: Json) -> dict[str, Json]:
    return {"rules_schema": 2, "rules": list(rules)}


_numbers = st.integers(0, 2000)
_limits = st.fixed_dictionaries({}, optional={"over": _numbers, "under": _numbers}).filter(bool)
_texts = st.sampled_from(["a", "prod/", "EUR", "b"])
_scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), _texts)
_whos = st.one_of(
    st.fixed_dictionaries({"permission": st.sampled_from(["approve_actions", "manage_tenant"])}),
    st.fixed_dictionaries({"group": st.sampled_from(["treasury", "lawyers"])}),
    st.fixed_dictionaries({"named": st.just(["dee@example.org", "eve@example.org"])}),
)
_slots = st.fixed_dictionaries({"who": _whos, "people": st.integers(1, 2)})
_mild = st.lists(st.sampled_from(["reversible", "compensable"]), min_size=1, unique=True)
_classes = st.lists(
    st.sampled_from(["reversible", "compensable", "irreversible"]), min_size=1, unique=True
)
_subjects: dict[str, st.SearchStrategy[Json]] = {
    "target": st.fixed_dictionaries({}, optional={"prefix": _texts, "equals": _texts}).filter(bool),
    "magnitude": st.dictionaries(
        st.sampled_from(["amount", "files", "recipients"]), _limits, min_size=1
    ),
    "parameters": st.dictionaries(
        st.sampled_from(["/to", "/n", "/list/0"]),
        st.one_of(
            _limits,
            st.fixed_dictionaries({"equals": _scalars}),
            st.fixed_dictionaries({"in": st.lists(_scalars, min_size=1, max_size=3)}),
        ),
        min_size=1,
    ),
    "diff": st.dictionaries(st.sampled_from(["bytes", "files"]), _limits, min_size=1),
    "sums": st.lists(
        st.builds(
            lambda of, seconds, limits: {"of": of, "seconds": seconds, **limits},
            st.sampled_from(["amount", "effects"]),
            st.sampled_from([60, DAY]),
            _limits,
        ),
        min_size=1,
        max_size=2,
    ),
}
_some = st.fixed_dictionaries({}, optional={**_subjects, "reversibility": _classes}).filter(bool)
_common = {
    "tool": st.sampled_from(["pay", "mail", "*"]),
    "expires_after_seconds": st.integers(1, DAY),
}
_optional = {"tenants": st.just(["acme"]), "if": _some}

asks = st.one_of(
    st.fixed_dictionaries(
        {**_common, "then": st.just("ask"), "who": _whos, "people": st.integers(1, 2)},
        optional={
            **_optional,
            "reauthenticate": st.booleans(),
            "second_look": st.sampled_from(["show", "acknowledge"]),
        },
    ),
    st.fixed_dictionaries(
        {**_common, "then": st.just("ask"), "quorum": st.lists(_slots, min_size=1, max_size=3)},
        optional=_optional,
    ),
)
allows = st.fixed_dictionaries(
    {
        **_common,
        "tool": st.sampled_from(["pay", "mail"]),
        "then": st.just("allow"),
        "if": st.fixed_dictionaries({"reversibility": _mild}, optional=_subjects),
    },
    optional={"tenants": st.just(["acme"])},
)
denies = st.fixed_dictionaries(
    {"tool": _common["tool"], "then": st.just("deny"), "because": st.just("No.")},
    optional=_optional,
)


def named(rules: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """The same rules, each with a name of its own."""
    return [{**rule, "name": f"rule-{number}"} for number, rule in enumerate(rules)]


rulebooks = st.lists(st.one_of(asks, allows, denies), max_size=5).map(named)
