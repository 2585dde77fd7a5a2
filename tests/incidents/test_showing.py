"""What a person reads is what the bytes say: whole, in one line each, with nothing acting as markup."""

import html
import re

import pytest
from django.test import Client

from approvals.models import ApprovalRequest
from approvals.showing import coverage
from canonical import digests
from canonical import json as canonical
from tests.approvals.asking import address, asked_about, question, signed_in
from tests.approvals.questions import ask, decide, make_run
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db
TAIL = "; rm -rf --no-preserve-root /"
# One of each family that has no ink or moves what stands beside it.
UNSEEN = [
    *map(chr, (0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F)),
    *map(chr, (0xFEFF, 0x00AD, 0xE0100, 0xE0041, 0x2028, 0x2029, 0x000D, 0x0009, 0x000A)),
]
ARABIC, HEBREW = "\u0645\u0631\u062d\u0628\u0627", "\u05e9\u05dc\u05d5\u05dd"
BREAKING_OUT = (
    "```\n</pre></td><script>x()</script>{{ 7|add:1 }}{% now 'Y' %}&lt;b&gt; **b** [l](u)"
)


def reader() -> Client:
    return signed_in(dee(make_tenant()))


def page(asked: ApprovalRequest, rest: str = "") -> str:
    answer = reader().get(address(asked, rest))
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_end_of_a_long_line_is_shown_and_never_cut_without_its_count() -> None:
    """A28: what stands far to the right of one line is as easy to read as what stands in front."""
    command = "echo " + "a" * 5_000 + TAIL
    parameters = canonical.dumps({"run": command})
    change = canonical.dumps({"before": {"run": "echo"}, "after": {"run": command}})
    asked = asked_about(change, "application/json", parameters=parameters)
    first = html.unescape(page(asked))
    assert TAIL not in first
    left = re.search(r"([0-9,]+) more characters", first)
    assert left is not None
    assert len(command) - int(left[1].replace(",", "")) > 1_000
    assert "You opened 2 of 4 parts." in first
    assert not coverage.of(asked, dee()).is_whole
    assert TAIL in html.unescape(page(asked, "values/whole/1/"))
    assert TAIL in html.unescape(page(asked, "parameters/")) + html.unescape(
        page(asked, "parameters/whole/1/")
    )
    assert coverage.of(asked, dee()).is_whole
    assert TAIL in html.unescape(page(asked_about(f"+{command}\n".encode(), "text/plain")))


@pytest.mark.parametrize("sign", UNSEEN, ids=lambda sign: f"U+{ord(sign):04X}")
def test_no_place_of_a_page_lets_a_character_hide(sign: str) -> None:
    """A29: values, keys, sentences, targets, summaries, names and notes go the same way."""
    text = f"pay{sign}ee"
    asked = asked_about(
        canonical.dumps({"before": {text: "old"}, "after": {text: text}}),
        "application/json",
        parameters=canonical.dumps({text: text}),
        describe=text,
        target=text,
        summary=(text,),
    )
    person = dee(asked.tenant)
    person.name = f"D{sign}ee"
    person.save()
    decide(asked, person, "send_back", text)
    shown = page(asked)
    mark = f"⟦U+{ord(sign):04X}⟧"
    assert shown.count(mark) >= 6
    if sign not in "\n\r\t":
        assert sign not in shown


def test_ordinary_writing_from_right_to_left_is_left_alone() -> None:
    """A29: Arabic and Hebrew words are words, not tricks."""
    words = f"{ARABIC} {HEBREW}"
    shown = page(asked_about(f"+{words}\n".encode(), "text/plain", describe=words))
    assert ARABIC in shown
    assert HEBREW in shown
    assert "⟦" not in shown


def test_a_name_stays_in_one_line_and_spellings_of_an_address_stay_apart() -> None:
    """A30: no line break fakes a headline; what differs in bytes differs in its hash."""
    asked = asked_about(b"+x\n", "text/plain", describe="Pay Bob\nApproved by Dee\u2028Really")
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", page(asked), re.DOTALL)
    assert heading is not None
    text = re.sub(r"<[^>]*>", "", heading[1]).strip().splitlines()[0].strip()
    assert text == "Pay Bob⟦U+000A⟧Approved by Dee⟦U+2028⟧Really"
    spelt = [f'{{"url":"https://a.example/{each}"}}' for each in ("a%2Bb", "a+b", "a b")]
    assert len({digests.sha256_hex(each.encode()) for each in spelt}) == 3
    run = make_run()
    hashes = set()
    for each in spelt:
        same = question(run, b"+x\n", "text/plain", parameters=each.encode(), action_id=ACTION)
        one = ask(same)
        hashes.add(one.action_hash)
        assert each.split('"')[3] in html.unescape(re.sub(r"<[^>]*>", "", page(one)))
    assert len(hashes) == 3


ACTION = "019a2f4c-7b1e-7c3d-9a40-5d1f0e9c2b71"


def test_markup_in_a_change_stays_text_wherever_it_is_printed() -> None:
    """A32: no fence, tag, entity or template of a value ever acts; no Markdown is read anywhere."""
    asked = asked_about(
        f"+{BREAKING_OUT}\n".encode(),
        "text/plain",
        parameters=canonical.dumps({BREAKING_OUT: BREAKING_OUT}),
        describe=BREAKING_OUT,
        target=BREAKING_OUT,
        summary=(BREAKING_OUT,),
    )
    decide(asked, dee(asked.tenant), "send_back", BREAKING_OUT)
    for rest in ("", "parameters/"):
        shown = page(asked, rest)
        assert "<script>x()" not in shown
        assert "</pre></td>" not in shown
        assert "&amp;lt;b&amp;gt; **b** [l](u)" in shown
        assert "{{ 7|add:1 }}{% now &#x27;Y&#x27; %}" in shown
    sent = reader().get(address(asked, "diff/"))
    assert sent.content == f"+{BREAKING_OUT}\n".encode()
    assert sent["Content-Type"] == "application/octet-stream"
    assert sent["Content-Disposition"].startswith("attachment")
    assert sent["X-Content-Type-Options"] == "nosniff"
