"""A token that can be guessed is refused at start; none serves nothing."""

import pytest

from config.errors import GroundError
from config.metrics.options import options


@pytest.mark.parametrize("token", ["short", "x" * 31, "with a blank " * 4, "ü" * 40, "a\n" * 20])
def test_a_token_that_can_be_guessed_or_not_be_sent_is_refused(token: str) -> None:
    with pytest.raises(GroundError, match="at least 32 visible"):
        options({"KEDGE_METRICS_TOKEN": token})


def test_a_token_is_not_shown_with_the_settings() -> None:
    assert "x" * 32 not in repr(options({"KEDGE_METRICS_TOKEN": "x" * 32}))


def test_without_a_token_there_is_none() -> None:
    assert options({}).token == ""
    assert options({"KEDGE_METRICS_TENANTS": "1"}).by_tenant
