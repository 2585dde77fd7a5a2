"""Adding a deny never allows more, adding an ask never lowers what is demanded, and so on."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from approvals.rules import Deny, Effect, Requirement, Window, covers, evaluate, sums_needed
from tests.approvals.rulebooks import DAY, allows, asks, book, denies, named, rulebooks

_sizes = st.one_of(st.integers(-5, 3000), st.sampled_from(["7", None, True, 1.5]))
effects = st.builds(
    Effect,
    tool=st.sampled_from(["pay", "mail"]),
    tenant=st.sampled_from(["acme", "other"]),
    target=st.sampled_from(["", "a", "prod/x"]),
    magnitude=st.dictionaries(st.sampled_from(["amount", "files", "recipients"]), _sizes),
    parameters=st.fixed_dictionaries(
        {}, optional={"to": st.sampled_from(["a", 1, None]), "n": _sizes, "list": st.just(["a"])}
    ),
    diff_bytes=st.one_of(st.none(), st.integers(0, 3000)),
    diff_files=st.one_of(st.none(), st.integers(0, 3000)),
    sums=st.dictionaries(
        st.builds(Window, st.sampled_from(["amount", "effects"]), st.sampled_from([60, DAY])),
        st.integers(0, 3000),
    ),
    reversibility=st.sampled_from(["reversible", "compensable", "irreversible", "", "harmless"]),
)
extra = st.integers(0, 5)


def with_one_more(rules: list[Any], rule: Any, at: int) -> dict[str, Any]:
    more = [*rules]
    more.insert(min(at, len(more)), {**rule, "name": "one-more"})
    return book(*more)


@given(rulebooks, effects)
def test_it_always_answers_and_always_the_same(rules: list[Any], effect: Effect) -> None:
    assert evaluate(book(*rules), effect) == evaluate(book(*rules), effect)


@given(rulebooks, denies, extra, effects)
def test_one_more_deny_never_allows_more(
    rules: list[Any], deny: Any, at: int, effect: Effect
) -> None:
    before = evaluate(book(*rules), effect)
    after = evaluate(with_one_more(rules, deny, at), effect)
    assert isinstance(after, Deny) or after == before


def test_who_was_asked_covers_what_passes_by_a_rule_however_short_its_life() -> None:
    passes = {
        "name": "small",
        "tool": "pay",
        "then": "allow",
        "if": {"reversibility": ["reversible"]},
        "expires_after_seconds": 1,
    }
    asks_dee = {
        "tool": "pay",
        "then": "ask",
        "who": {"named": ["dee@example.org"]},
        "people": 1,
        "expires_after_seconds": 2,
    }
    effect = Effect(tool="pay", tenant="acme", target="", reversibility="reversible")
    now = evaluate(book(passes), effect)
    stored = evaluate(with_one_more([passes], asks_dee, 0), effect)
    assert isinstance(now, Requirement)
    assert isinstance(stored, Requirement)
    assert now.automatic
    assert not stored.automatic
    assert covers(stored, now)
    assert not covers(now, stored)


@given(rulebooks, asks, extra, effects)
def test_one_more_ask_never_lowers_what_is_demanded(
    rules: list[Any], ask: Any, at: int, effect: Effect
) -> None:
    before = evaluate(book(*rules), effect)
    after = evaluate(with_one_more(rules, ask, at), effect)
    if isinstance(before, Requirement) and isinstance(after, Requirement):
        assert covers(after, before)
    elif isinstance(before, Deny):  # what no rule named may be asked now; what one denied, never
        assert isinstance(after, Deny) or not before.rule


@given(rulebooks, allows, extra, effects)
def test_one_more_allow_lowers_nothing_that_is_asked_or_denied_by_a_rule(
    rules: list[Any], allow: Any, at: int, effect: Effect
) -> None:
    before = evaluate(book(*rules), effect)
    after = evaluate(with_one_more(rules, allow, at), effect)
    asked = isinstance(before, Requirement) and not before.automatic
    if asked or (isinstance(before, Deny) and before.rule):
        assert after == before


@given(rulebooks, st.sampled_from(["{}", None, 1, {"then": "ask"}, []]), extra, effects)
def test_any_unreadable_part_denies_everything(
    rules: list[Any], broken: Any, at: int, effect: Effect
) -> None:
    more = [*rules]
    more.insert(min(at, len(more)), broken)
    outcome = evaluate(book(*more), effect)
    assert isinstance(outcome, Deny)
    assert outcome.reason.startswith("The rules cannot be read")


@given(rulebooks, effects)
def test_nothing_irreversible_or_unclassed_passes_by_itself(
    rules: list[Any], effect: Effect
) -> None:
    outcome = evaluate(book(*rules), effect)
    if isinstance(outcome, Requirement) and outcome.automatic:
        assert effect.reversibility in ("reversible", "compensable")
    elif isinstance(outcome, Requirement):
        assert outcome.approvers >= 1


@given(rulebooks, effects)
def test_not_knowing_the_sums_never_allows_more(rules: list[Any], effect: Effect) -> None:
    document = book(*rules)
    known = Effect(**{**vars(effect), "sums": {}})
    needed = sums_needed(document, tool=effect.tool, tenant=effect.tenant)
    whole = dict.fromkeys(needed, 0)
    before = evaluate(document, Effect(**{**vars(effect), "sums": whole}))
    after = evaluate(document, known)
    if isinstance(before, Deny) and before.rule:
        assert isinstance(after, Deny)
    if isinstance(after, Requirement) and after.automatic:
        assert before == after


@given(rulebooks, effects)
def test_a_demand_reads_back_from_the_record_and_covers_itself(
    rules: list[Any], effect: Effect
) -> None:
    outcome = evaluate(book(*rules), effect)
    if isinstance(outcome, Requirement):
        assert Requirement.from_json(outcome.as_json()) == outcome
        assert covers(outcome, outcome)


def test_named_rules_differ() -> None:
    assert named([{}, {}]) == [{"name": "rule-0"}, {"name": "rule-1"}]
