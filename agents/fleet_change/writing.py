"""The nodes that ask the model for words. It is told facts and chooses nothing but words."""

import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from agents import gitobjects, model, pieces
from agents.errors import InvalidAnswer
from agents.fleet_change import changes, log
from agents.fleet_change.message import rule_in_words
from agents.remotes import remote_url
from canonical import json as canonical
from checkpoints.graph import Context, State, To

Json = Any

PROMPTS = pieces.prompts("fleet_change")
ANSWER_SCHEMAS = pieces.document("fleet_change", "answer.schemas.json")
SAMPLE_CHARACTERS = 6_000
FILES_NAMED = 30


def write_message(state: State, context: Context) -> To:
    """Ask for the commit message and the summary. Raises what `model.ask` raises."""
    facts = _facts(state, context, notes=state.get("push_notes", []))
    lines = log.changed_files(context.items(log.CHAIN))
    facts["paths"] = [line["path"] for line in lines[:FILES_NAMED]]
    facts["diff"] = _sample(lines, context)
    said = _ask("write_message", facts, context, lambda: _plain_words(state, context, facts))
    return To("build", state | {part: said[part] for part in ("subject", "body", "summary")})


def write_summary(state: State, context: Context) -> To:
    """Ask again for the summary alone: the push has happened, the mail was sent back."""
    facts = _facts(state, context, notes=state["mail_notes"]) | {"summary": state["summary"]}
    said = _ask("write_summary", facts, context, lambda: _plain_words(state, context, facts))
    return To("mail", state | {"summary": said["summary"]})


def _ask(
    node: str, facts: Mapping[str, Json], context: Context, stand_in: Callable[[], Json]
) -> dict[str, Json]:
    schema = ANSWER_SCHEMAS[node]
    messages = [
        {"role": "system", "content": PROMPTS[node]},
        {"role": "user", "content": canonical.dumps(dict(facts)).decode()},
    ]
    try:
        answer = model.ask(messages, schema=schema, stand_in=lambda: _only(stand_in(), schema))
    except InvalidAnswer as invalid:
        _pay(context, invalid)
        raise
    _pay(context, answer)
    return dict(answer.value)


def _pay(context: Context, cost: model.Answer | InvalidAnswer) -> None:
    context.spent(prompt_tokens=cost.prompt_tokens, completion_tokens=cost.completion_tokens)


def _only(words: Mapping[str, str], schema: Mapping[str, Json]) -> dict[str, str]:
    return {name: words[name] for name in schema["properties"]}


def _facts(state: State, context: Context, *, notes: list[str]) -> dict[str, Json]:
    return {
        "repository": context.input["repository"],
        "campaign": context.input["campaign"],
        "rule": rule_in_words(context.input["rule"]),
        "files": state["total"],
        "changed": state["changed"],
        "insertions": state["insertions"],
        "deletions": state["deletions"],
        "notes": notes,
    }


def _sample(lines: list[dict[str, Json]], context: Context) -> str:
    """The beginning of the diff, whole files as long as they fit."""
    remote = remote_url(context.tenant, context.input["repository"])
    sample = ""
    for line in lines:
        before, after = gitobjects.blob(remote, line["blob"]), context.get(line["content"])
        sample += changes.diff(line["path"], before, after) + "\n"
        if len(sample) > SAMPLE_CHARACTERS:
            return sample[:SAMPLE_CHARACTERS] + "\n(and more)"
    return sample


def _plain_words(state: State, context: Context, facts: Mapping[str, Json]) -> dict[str, str]:
    """What stands in for the model: the same facts always make the same plain words."""
    rule, files = facts["rule"], _counted(state["changed"], "file")
    lines = f"{state['insertions']} lines in, {state['deletions']} lines out"
    asked = "".join(f"\nAsked for in review: {_short(note)}" for note in facts["notes"][-3:])
    return {
        "subject": f"Apply {rule} to {files}"[:72],
        "body": f"Campaign {context.input['campaign']}: {lines}.\n"
        f"{_counted(state['total'], 'file')} looked at.{asked}",
        "summary": f"The rule {rule} changed {files} of {state['total']} in "
        f"{context.input['repository']}: {lines}.{asked}",
    }


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _short(note: str) -> str:
    return textwrap.shorten("".join(c if c.isprintable() else " " for c in note), 200)
