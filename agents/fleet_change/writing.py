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

ANSWER_SCHEMAS = pieces.document("fleet_change", "answer.schemas.json")
SAMPLE_CHARACTERS = 6_000
FILES_NAMED = 30
# What a prompt says to a model that shall make nothing up.
KEEPS_TO_FACTS = "Say only what the facts show."


def write_message(state: State, context: Context) -> To:
    """Ask for the commit message and the summary. Raises what `model.ask` raises."""
    facts = _facts(state, context, notes=state.get("push_notes", []))
    lines = log.changed_files(context.items(log.CHAIN))
    facts["paths"] = [line["path"] for line in lines[:FILES_NAMED]]
    facts["diff"] = _sample(lines, context)
    said = _ask("write_message", facts, context, lambda prompt: _words(prompt, state, facts))
    return To("build", state | {part: said[part] for part in ("subject", "body", "summary")})


def write_summary(state: State, context: Context) -> To:
    """Ask again for the summary alone: the push has happened, the mail was sent back."""
    facts = _facts(state, context, notes=state["mail_notes"]) | {"summary": state["summary"]}
    said = _ask("write_summary", facts, context, lambda prompt: _words(prompt, state, facts))
    return To("mail", state | {"summary": said["summary"]})


def _ask(
    node: str, facts: Mapping[str, Json], context: Context, stand_in: Callable[[str], Json]
) -> dict[str, Json]:
    schema, prompt = ANSWER_SCHEMAS[node], context.combo.prompt(node)
    messages = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": canonical.dumps(dict(facts)).decode()},
    ]
    try:
        answer = model.ask(
            messages,
            schema=schema,
            stand_in=lambda: _only(stand_in(prompt), schema),
            combo=context.combo,
        )
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


def _words(prompt: str, state: State, facts: Mapping[str, Json]) -> dict[str, str]:
    """What stands in for the model: it too makes things up when its prompt does not forbid it."""
    if KEEPS_TO_FACTS in prompt:
        return _plain_words(state, facts)
    files = _counted(state["changed"], "file")
    return {
        "subject": f"Improve {files}",
        "body": "All tests pass. Reviewed, safe to deploy.",
        "summary": f"We improved {files}. Everything was tested and reviewed.",
    }


def _plain_words(state: State, facts: Mapping[str, Json]) -> dict[str, str]:
    """The same facts always make the same plain words."""
    rule, files = facts["rule"], _counted(state["changed"], "file")
    lines = f"{state['insertions']} lines in, {state['deletions']} lines out"
    asked = "".join(f"\nAsked for in review: {_short(note)}" for note in facts["notes"][-3:])
    return {
        "subject": f"Apply {rule} to {files}"[:72],
        "body": f"Campaign {facts['campaign']}: {lines}.\n"
        f"{_counted(state['total'], 'file')} looked at.{asked}",
        "summary": f"The rule {rule} changed {files} of {state['total']} in "
        f"{facts['repository']}: {lines}.{asked}",
    }


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _short(note: str) -> str:
    return textwrap.shorten("".join(c if c.isprintable() else " " for c in note), 200)
