"""The audit trail: rows that were in the tenant's chain when it was signed, and what they say. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document
from tenants.signing import Believed
from tenants.trail.seals import Link, Sealed, head_trouble, walk

Json = Any
DECIDED = ("approve", "reject", "send_back")


def check(document: Document, believed: Believed, findings: Findings) -> None:
    """Follow each stretch of the chain to its signed head; then ask whether each act left a row."""
    rows = []
    for number, stretch in enumerate(document["trail"]):
        rows += list(_stretch(f"/trail/{number}", document, stretch, believed, findings=findings))
    if rows:
        findings.proven.append(
            f"{len(rows)} audit rows (positions {rows[0][0]} to {rows[-1][0]}) stand in the"
            " tenant's chain under a signed head."
        )
    else:
        findings.open.append("No audit row is shown.")
    _acts(document, [row for _, row in rows], findings)


def _stretch(
    here: str,
    document: Document,
    stretch: Mapping[str, Json],
    believed: Believed,
    *,
    findings: Findings,
) -> Iterator[tuple[int, dict[str, Json]]]:
    end = Link(stretch["after"]["position"], bytes.fromhex(stretch["after"]["digest"]))
    start, links = end, list(_links(stretch, end))
    for number, (end, problems) in enumerate(walk(links, start)):
        for problem in problems:
            findings.wrong(f"{here}/links/{number}", problem.sentence)
        row = links[number].row
        if row is not None:
            if row["tenant"] != document["tenant"]["id"]:
                findings.wrong(f"{here}/links/{number}", "The row is another tenant's.")
            yield end.position, dict(row)
    _head(f"{here}/head", document, stretch["head"], (end, believed), findings=findings)


def _links(stretch: Mapping[str, Json], before: Link) -> Iterator[Sealed]:
    previous = before.digest
    for link in stretch["links"]:
        yield Sealed(
            position=link["position"],
            previous=previous,
            digest=bytes.fromhex(link["digest"]),
            content=bytes.fromhex(link["content"]),
            row=link.get("row"),
        )
        previous = bytes.fromhex(link["digest"])


def _head(
    here: str,
    document: Document,
    head: dict[str, Json],
    known: tuple[Link, Believed],
    *,
    findings: Findings,
) -> None:
    end, believed = known
    trouble = head_trouble(head, believed)
    if trouble:
        findings.wrong(here, f"The signed head {trouble}.")
    expected = {
        "position": end.position,
        "digest": end.digest.hex(),
        "tenant": document["tenant"]["id"],
        "installation": document["made"]["installation"],
    }
    for name, value in expected.items():
        findings.equal(f"{here}/{name}", head[name], value, what=f"The signed head's {name}")


def _acts(document: Document, rows: list[dict[str, Json]], findings: Findings) -> None:
    """No audit row, no effect; and no decision either."""
    intents = {
        (row["subject"], row["detail"].get("attempt"), row["detail"].get("hash"))
        for row in rows
        if row["verb"] == "intends"
    }
    decided = {
        (row["verb"], row["subject"], row["actor"][1], row["detail"].get("hash"))
        for row in rows
        if row["verb"] in DECIDED
    }
    _ordered(document, rows, findings)
    for number, action in enumerate(document["actions"]):
        for n, attempt in enumerate(action["attempts"]):
            if attempt["request"] is None:
                continue  # its row is lost with it: `world` says so
            wanted = (f"action {action['id']}", attempt["id"], attempt["hash"])
            if wanted not in intents:
                member = f"/actions/{number}/attempts/{n}"
                findings.wrong(member, "No audit row shown says that it was about to be sent.")
        for n, asked in enumerate(action["requests"]):
            for k, decision in enumerate(asked["decisions"]):
                person = str(decision["person"]["id"])
                act = (decision["verdict"], f"request:{asked['id']}", person, decision["hash"])
                if act not in decided:
                    member = f"/actions/{number}/requests/{n}/decisions/{k}"
                    findings.wrong(member, "No audit row shown says that it was decided.")


def _ordered(document: Document, rows: list[dict[str, Json]], findings: Findings) -> None:
    """What people ordered of a plan."""
    ordered = {(row["subject"], row["actor"][1], row["detail"].get("digest")) for row in rows}
    for number, plan in enumerate(document.get("plans", [])):
        for n, order in enumerate(plan["orders"]):
            if (f"plan:{plan['id']}", str(order["person"]["id"]), order["digest"]) not in ordered:
                member = f"/plans/{number}/orders/{n}"
                findings.wrong(member, "No audit row shown says that it was ordered.")
