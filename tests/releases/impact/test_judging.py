"""What a move changes for what waits: nothing, as long as workers of its code are left."""

import pytest

from releases.gates import standing
from releases.impact import judging
from releases.impact.judging import BLOCKED, CAN, DRY_RUN, GOES, SAME, STAYS, UNTOLD, VOID


@pytest.mark.parametrize(
    ("part", "alive", "move", "becomes"),
    [
        ("a", (), standing.PROMOTE, SAME),
        ("a", ("a",), standing.WIDEN, SAME),
        ("b", ("b",), standing.WIDEN, STAYS),
        ("b", (), standing.WIDEN, GOES),
        ("b", ("b",), standing.PROMOTE, GOES),
    ],
)
def test_code_stays_with_its_workers_until_a_promotion(
    part: str, alive: tuple[str, ...], move: str, becomes: str
) -> None:
    assert judging.code(part, "a", alive=alive, move=move) == becomes


@pytest.mark.parametrize("becomes", [SAME, STAYS])
@pytest.mark.parametrize("reads", [True, False, None])
def test_what_keeps_its_workers_is_not_touched(becomes: str, *, reads: bool | None) -> None:
    assert judging.run(becomes, reads=reads) == CAN
    asked = judging.question(becomes, reads=reads, has_tool=False)
    assert asked == judging.UNAFFECTED


@pytest.mark.parametrize(
    ("reads", "has_tool", "run", "question"),
    [
        (True, True, CAN, DRY_RUN),
        (True, False, CAN, VOID),
        (False, True, BLOCKED, VOID),
        (False, False, BLOCKED, VOID),
        (None, True, UNTOLD, UNTOLD),
        (None, False, UNTOLD, VOID),
    ],
)
def test_what_loses_its_workers_goes_on_only_where_the_candidate_reads_it(
    run: str, question: str, *, reads: bool | None, has_tool: bool
) -> None:
    assert judging.run(GOES, reads=reads) == run
    assert judging.question(GOES, reads=reads, has_tool=has_tool) == question
