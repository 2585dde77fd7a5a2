"""From a declaration file to a tool's description, or to a sentence that says what is wrong in it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from agents.tools import declaring
from agents.tools.http import checking
from agents.tools.http.declared import (
    DONE,
    Act,
    Before,
    Credential,
    Declared,
    Field,
    Json,
    Limits,
    LookUp,
    Rule,
    Shape,
)
from agents.tools.looking import looks_of
from agents.tools.saying import says_of
from reconciliation.tools import Keyed

SCHEMA = Path(__file__).parent / "declaration.schema.json"
TYPES = {"json": "application/json", "form": "application/x-www-form-urlencoded", "": ""}


def load_file(path: Path) -> Declared:
    """The tool that a file declares. Raises `BadDeclaration`."""
    return load(declaring.read_file(path))


def load(given: Mapping[str, Json]) -> Declared:
    """The tool that a document declares. Raises `BadDeclaration`."""
    declaring.refuse_other_form(given, schema())
    declared = _declared(given)
    checking.check(declared, given)
    return declared


def schema() -> dict[str, Json]:
    """The published schema of declarations."""
    return declaring.schema_at(SCHEMA)


def _declared(given: Mapping[str, Json]) -> Declared:
    effect = _effect(given)
    return Declared(
        name=given["name"],
        version=declaring.version_of(given),
        url=given["server"].get("url", ""),
        url_variable=given["server"].get("url_from", ""),
        credential=_credential(given.get("credential")),
        parameters=given["parameters"],
        says=says_of(given["says"]),
        effect=effect,
        receipt_at=given["receipt"].get("at", ""),
        receipt={
            name: Field(it["at"], it["schema"]) for name, it in given["receipt"]["fields"].items()
        },
        keyed=_keyed(given.get("idempotency_key")),
        precondition=given.get("precondition", {}).get("parameter", ""),
        before=_before(given.get("before")),
        look_up=_look_up(given.get("look_up")),
        void=_void(given, effect.shape),
        limits=Limits(**given.get("limits", {})),
        volatile=tuple(given.get("volatile", ())),
        volatile_version=given.get("volatile_version", "1"),
        looks=looks_of(given),
    )


def _effect(given: Mapping[str, Json]) -> Act:
    effect, more = given["effect"], {}
    if given.get("create_only") == "if-none-match":
        more["If-None-Match"] = "*"
    if "idempotency_key" in given:
        more[given["idempotency_key"].get("header", "Idempotency-Key")] = "{$key}"
    if "precondition" in given:
        place = "{" + given["precondition"]["parameter"] + "}"
        more[given["precondition"].get("header", "If-Match")] = place
    return Act(_shape(effect, effect["method"], more), _rules(effect["answers"]))


def _shape(given: Mapping[str, Json], method: str, more: Mapping[str, str]) -> Shape:
    body = given.get("body", {})
    kind = next(iter(body), "")
    usual = {"Accept": "application/json"} | ({"Content-Type": TYPES[kind]} if kind else {})
    own = {**given.get("headers", {}), **more}
    taken = {name.lower() for name in own}
    headers = {name: value for name, value in usual.items() if name.lower() not in taken} | own
    return Shape(method, given["path"], headers, kind, body.get(kind))


def _rules(given: Iterable[Mapping[str, Json]]) -> tuple[Rule, ...]:
    return tuple(
        Rule(frozenset(it["status"]), it["means"], it.get("where", {}), it.get("says", ""))
        for it in given
    )


def _credential(given: Mapping[str, Json] | None) -> Credential | None:
    if given is None:
        return None
    check = given.get("check")
    return Credential(
        name=given["name"],
        variable=given["from"],
        header=given.get("header", "Authorization"),
        scheme=given.get("scheme", "Bearer"),
        check=_shape(check, "GET", {}) if check else None,
        works=frozenset(check["works"] if check else ()),
        invalid=frozenset(check["invalid"] if check else ()),
        expires_variable=given.get("expires_from", ""),
    )


def _keyed(given: Mapping[str, Json] | None) -> Keyed | None:
    return given and Keyed(given["remembers_seconds"], given["locks_in_flight"])  # type: ignore[return-value]


def _before(given: Mapping[str, Json] | None) -> Before | None:
    return given and Before(  # type: ignore[return-value]
        shape=_shape(given, "GET", {}),
        at=given.get("at", ""),
        absent=frozenset(given.get("absent", (404,))),
        version=given.get("version", "etag"),
        becomes=given.get("becomes", "unsaid"),
        body_at=given.get("body_at", ""),
    )


def _look_up(given: Mapping[str, Json] | None) -> LookUp | None:
    return given and LookUp(  # type: ignore[return-value]
        shape=_shape(given, "GET", {}),
        rules=_rules(given["answers"]),
        at=given.get("at", ""),
        match=given["match"],
        void=given.get("void", {}),
        fields=given.get("fields", {}),
    )


def _void(given: Mapping[str, Json], effect: Shape) -> Act | None:
    if "void" not in given:
        return None
    void = given["void"]
    body = void.get("body", {})
    kind = next(iter(body), "")
    # Under the effect's key a service would answer what it answered before, and do nothing.
    key = given.get("idempotency_key", {}).get("header", "Idempotency-Key")
    left_out = {key.lower(), *(["content-type"] if not kind else [])}
    headers = {name: it for name, it in effect.headers.items() if name.lower() not in left_out}
    if kind:
        headers["Content-Type"] = TYPES[kind]
    shape = Shape(effect.method, effect.path, headers, kind, body.get(kind))
    return Act(shape, tuple(rule for rule in _rules(void["answers"]) if rule.means == DONE))
