"""The card: what it points to is there, and what is not there yet it waits for or says so."""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import resolve
from pytest_django import Settings

from checkpoints import runs
from config.demo import card, people, unknown
from config.demo.campaigns import DYING_KEY
from tenants.models import User
from tenants.signin.links import is_open
from tests.config.demo import turns

PORT = 8700


def addresses(text: str) -> list[str]:
    return re.findall(rf"http://127\.0\.0\.1:{PORT}(/\S*)", text)


@pytest.mark.django_db
def test_every_address_on_the_card_is_a_page(operator: User) -> None:
    names = [resolve(path).url_name for path in addresses(card.text())]
    assert names == ["across", "sign_in_link", "demo", "outside_world"]  # nothing runs yet


@pytest.mark.django_db
def test_the_card_names_the_port_of_the_instance_that_runs(demo: Path, operator: User) -> None:
    (demo / "instance.lock").write_text('{"pid": 1, "port": 9123}')
    assert "http://127.0.0.1:9123/" in card.text()


@pytest.mark.django_db
def test_each_card_has_a_sign_in_link_of_its_own_that_works(operator: User) -> None:
    first, second = (addresses(card.text())[1] for _ in range(2))
    assert first != second
    assert is_open(resolve(first).kwargs["token"])
    client = Client()
    client.post(second)
    assert client.session["_auth_user_id"] == str(operator.pk)


@pytest.mark.django_db
def test_a_push_is_named_with_its_number_of_files_and_its_page(
    operator: User, small_remotes: Path
) -> None:
    run = turns.start("aiosmtpd")
    turns.turn()
    text = card.text()
    assert "1  A push to 3 files waits for your yes" in text
    assert f"/t/harbour/approvals/{turns.asked(run).pk}/" in addresses(text)


@pytest.mark.django_db
def test_the_mail_in_doubt_is_named_with_who_said_yes(
    operator: User, small_remotes: Path, dying_mail_server: None
) -> None:
    run = turns.start("rq")
    turns.in_doubt(run)
    assert not unknown.drive()
    text = card.text()
    assert "Petra Lund" in text
    assert [resolve(path).url_name for path in addresses(text)].count("case") == 1


@pytest.mark.django_db
def test_it_says_what_it_waits_for_and_waits_no_longer_than_told(
    operator: User, small_remotes: Path
) -> None:
    turns.start("rq")
    turns.start("aiosmtpd")
    said: list[str] = []
    card.wait(said.append, seconds=0)
    text = card.text()
    assert "modern-python/aiosmtpd: its run is at step 0" in text
    assert "It is not there yet" in text


@pytest.mark.django_db
def test_nothing_is_waited_for_when_all_is_decided(operator: User, small_remotes: Path) -> None:
    assert card._missing() == []
    run = turns.start("rq")
    assert [DYING_KEY in each for each in card._missing()] == [True]
    runs.request_cancel(run.id, why="enough", actor=people.SEED)


@pytest.mark.django_db
def test_without_an_operator_it_is_a_sentence(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("card", wait=0)
    assert "operator is not there" in capsys.readouterr().out


def test_there_is_no_card_where_there_is_no_demo(settings: Settings) -> None:
    settings.KEDGE_DEMO = False
    with pytest.raises(CommandError, match="KEDGE_DEMO=1"):
        call_command("card")
