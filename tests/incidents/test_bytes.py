"""At the door: a text that two readers could take for two things is refused before it has a hash."""

import pytest

from approvals.models import ApprovalRequest
from canonical import digests
from canonical import json as canonical
from canonical.errors import CanonicalError
from checkpoints.models import Run
from tests.approvals.asking import address, asked_about, signed_in
from tests.engine.turns import Bench
from tests.people import dee

ONE, OTHER = "\u00e9", "e\u0301"  # the same letter to a reader, in two forms


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "fake.void", "amount": 1, "amount": 2}',
        '{"tool": "fake.void", "more": {"amount": 1, "amount": 2}}',
        '{"tool": "fake.void", "amount": 1, "\\u0061mount": 2}',
        '{"tool": "fake.void", "amount": 9007199254740993}',
        '{"tool": "fake.void", "amount": 9007199254740993.0}',
        '{"tool": "fake.void", "amount": 1E400}',
        '{"tool": "fake.void", "amount": NaN}',
    ],
)
def test_a_text_with_two_meanings_starts_no_run(engine: Bench, text: str) -> None:
    """A37, A38: the raw text is refused at the page, not what a lenient reader made of it."""
    posted = {"task_type": "steps", "business_key": "k-1", "input": text}
    answer = signed_in(engine.starter).post(f"/t/{engine.tenant.slug}/runs/start/", posted)
    assert answer.status_code == 422
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"n":9007199254740991}', '{"n":9007199254740990}'),
        ('{"n":"9007199254740992"}', '{"n":"9007199254740993"}'),
        ('{"n":1}', '{"n":"1"}'),
        (f'{{"n":"{ONE}"}}', f'{{"n":"{OTHER}"}}'),
        (f'{{"{ONE}":1}}', f'{{"{OTHER}":1}}'),
    ],
)
def test_two_texts_that_are_accepted_and_differ_never_share_a_digest(one: str, other: str) -> None:
    """A38, A40: numbers keep every digit, letters keep their form."""
    seen = [digests.sha256_hex(canonical.dumps(canonical.loads(text))) for text in (one, other)]
    assert len(set(seen)) == 2


@pytest.mark.django_db
def test_two_forms_of_one_letter_are_told_apart_on_the_page() -> None:
    """A40: the change says that only the form differs."""
    change = canonical.dumps({"before": {"name": ONE}, "after": {"name": OTHER}})
    asked: ApprovalRequest = asked_about(change, "application/json")
    page = signed_in(dee(asked.tenant)).get(address(asked)).content.decode()
    assert "same letters" in page


def test_two_names_that_read_alike_in_one_object_are_refused() -> None:
    """A40: of two members that differ in the form of a letter only, nobody can say which is meant."""
    with pytest.raises(CanonicalError):
        canonical.loads(f'{{"{ONE}":1,"{OTHER}":2}}')
