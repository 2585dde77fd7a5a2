"""The closed lists: statuses, reasons, moves, stop reasons."""

from django.db.models import CharField, Model

from checkpoints import graph, states
from checkpoints.models import Case, Run


def test_every_live_status_has_reasons_and_no_final_one_has() -> None:
    assert set(states.REASONS) == set(states.LIVE)
    assert all(states.REASONS.values())
    assert set(states.STATUSES) == set(states.LIVE) | set(states.FINAL)


def test_every_reason_belongs_to_one_status() -> None:
    reasons = [reason for some in states.REASONS.values() for reason in some]
    assert len(reasons) == len(set(reasons))


def test_final_is_final_and_every_live_status_can_be_left() -> None:
    assert all(states.MOVES[status] == () for status in states.FINAL)
    assert all(states.MOVES[status] for status in states.LIVE)
    assert {to for moves in states.MOVES.values() for to in moves} <= set(states.STATUSES)


def test_only_a_lease_leads_to_an_orderly_end() -> None:
    ends = {status for status, moves in states.MOVES.items() if states.SUCCEEDED in moves}
    assert ends == {states.RUNNING}


def test_a_held_run_is_held_for_a_kind_of_case() -> None:
    assert states.REASONS[states.HELD] == states.CASE_KINDS


def test_every_answer_a_graph_need_not_handle_is_a_stop_reason() -> None:
    unhandled = set(graph.RESULTS) - {graph.HAPPENED}
    assert unhandled <= set(states.STOP_REASONS)


def test_every_word_fits_its_column() -> None:
    reasons = [word for some in states.REASONS.values() for word in some]
    assert max(map(len, reasons)) <= width(Run, "reason")
    assert max(map(len, states.CASE_KINDS)) <= width(Case, "kind")
    assert max(map(len, states.STOP_REASONS)) <= width(Run, "stop_reason")


def width(model: type[Model], column: str) -> int:
    field = model._meta.get_field(column)
    assert isinstance(field, CharField)
    return field.max_length or 0
