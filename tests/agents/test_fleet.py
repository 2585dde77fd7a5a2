"""The campaign: twelve runs, each with something to change, and one mail that nobody can know."""

from pathlib import Path

import jsonschema
import pytest

from agents import fleet, gitobjects
from agents.fleet_change import changes
from agents.fleet_change.graph import GRAPH
from agents.remotes import BRANCH, remote_url
from agents.repository_report.graph import GRAPH as REPORT


def test_the_campaign_changes_every_repository_once() -> None:
    planned = fleet.campaign()
    assert len({run.business_key for run in planned}) == 12
    for run in planned:
        assert run.business_key == f"{fleet.CAMPAIGN}/{run.input['repository']}"
        jsonschema.validate(run.input, GRAPH.manifest.input_schema)


def test_another_campaign_has_other_business_keys() -> None:
    first, second = fleet.campaign(), fleet.campaign("later")
    assert not {run.business_key for run in first} & {run.business_key for run in second}


def test_exactly_one_maintainer_has_a_mail_server_that_dies() -> None:
    assert sum("+dies@" in run.input["maintainer"] for run in fleet.campaign()) == 1


def test_a_report_is_planned_for_every_repository() -> None:
    planned = fleet.reports()
    assert planned[0].input["repository"] == "django-gis"
    assert len({run.business_key for run in planned}) == 12
    for run in planned:
        jsonschema.validate(run.input, REPORT.manifest.input_schema)


@pytest.mark.parametrize("planned", fleet.campaign(), ids=lambda run: run.input["repository"])
def test_a_push_has_files_enough_to_be_worth_a_look(
    remotes: Path, planned: fleet.CampaignRun
) -> None:
    remote = remote_url("acme", planned.input["repository"])
    head = gitobjects.head(remote, BRANCH)
    assert head
    changed = lines = 0
    for file in gitobjects.files(remote, head, ".py"):
        after = changes.change(planned.input["rule"], file.path, gitobjects.blob(remote, file.blob))
        changed += after.insertions + after.deletions > 0
        lines += after.insertions + after.deletions
        if changed >= 3 and lines >= 24:
            return
    raise AssertionError(f"only {changed} files and {lines} lines change")
