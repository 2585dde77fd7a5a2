"""A shop with everything that the refund desk works with: books, tickets, a store; all real."""

import base64
import json
import urllib.request
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from botocore.exceptions import ClientError
from psycopg.rows import dict_row

from tests.contract.object_worlds import client_of
from tests.ground import ROOT, wait_for
from tests.servers import ledger, running

BOOKS = ROOT / "config/demo/desk/books.sql"
BUCKET = "refunds"
DESK = "desk:desk"
NAME, MAIL = "Annemarie Osei", "annemarie.osei@example.org"
SAID = "The anchor came with a bent fluke, and I would like my money back."


@dataclass
class Shop:
    """One tenant's shop in systems that all tests share; its purchases and tickets are its own."""

    slug: str
    tickets_port: int = field(default_factory=running.tickets)
    store_port: int = field(default_factory=running.seaweed)
    books: str = field(default_factory=lambda: ledger.made("shop", BOOKS))

    def __post_init__(self) -> None:
        with suppress(ClientError):
            client_of(self.store_port).create_bucket(Bucket=BUCKET)
        wait_for(self._has_bucket, "the store has its bucket")

    def values(self, **other: str) -> dict[str, str]:
        """What stands for the variables that the desk's tools name."""
        return {
            "KEDGE_BOOKS": self.books,
            "KEDGE_TICKETS": f"http://127.0.0.1:{self.tickets_port}",
            "KEDGE_TICKETS_LOGIN": DESK,
            "KEDGE_STORE": f"http://127.0.0.1:{self.store_port}",
            "KEDGE_STORE_ID": running.S3_LOGIN[0],
            "KEDGE_STORE_SECRET": running.S3_LOGIN[1],
            **other,
        }

    def sell(self, paid: int = 10_000, number: str = "") -> str:
        """Book a purchase; its number."""
        number = number or f"p-{uuid.uuid4().hex[:12]}"
        row = [number, "c-7", "EUR", paid]
        given = "INSERT INTO purchase (id, customer, currency, paid) VALUES (%s, %s, %s, %s)"
        with psycopg.connect(self.books, autocommit=True) as books:
            books.execute(given, row)
        return number

    def ticket(self, purchase: str, cents: int = 4_000, **other: Any) -> str:
        """Open a ticket; its number."""
        given = {
            "title": "Bent fluke",
            "shop": self.slug,
            "purchase": purchase,
            "cents": cents,
            "currency": "EUR",
            "customer": "c-7",
            "customer_name": NAME,
            "customer_mail": MAIL,
            "said": SAID,
            **other,
        }
        made = self.ask("POST", "issue", given)
        return str(made["data"]["id"])

    def see(self, ticket: str) -> dict[str, Any]:
        """What the tracker says of a ticket."""
        found: dict[str, Any] = self.ask("GET", f"issue/{ticket}?@verbose=0")["data"]
        return {**found["attributes"], "@etag": found["@etag"]}

    def change(self, ticket: str, **fields: Any) -> None:
        """Somebody else changes the ticket."""
        self.ask("PATCH", f"issue/{ticket}", fields, etag=self.see(ticket)["@etag"])

    def ask(self, method: str, path: str, body: Any = None, etag: str = "") -> Any:
        """Ask the tracker, past the tool."""
        headers = {
            "Authorization": f"Basic {base64.b64encode(DESK.encode()).decode()}",
            "Content-Type": "application/json",
            "Origin": "https://kedge.example",
            "X-Requested-With": "rest",
            **({"If-Match": etag} if etag else {}),
        }
        url = f"http://127.0.0.1:{self.tickets_port}/rest/data/{path}"
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def rows(self, query: str, *given: Any) -> list[dict[str, Any]]:
        """What the books say."""
        with psycopg.connect(self.books, autocommit=True, row_factory=dict_row) as books:
            return books.execute(query, given).fetchall()

    def paid_back(self, purchase: str) -> list[int]:
        """What left the bank for a purchase, in cents, each booking by itself."""
        query = "SELECT -cents AS cents FROM entry WHERE purchase = %s AND account = 'bank'"
        return [row["cents"] for row in self.rows(f"{query} ORDER BY id", purchase)]

    def documents(self, ticket: str) -> dict[str, bytes]:
        """The documents in the store for a ticket, by name; tombstones are left out."""
        client = client_of(self.store_port)
        return {
            name: client.get_object(Bucket=BUCKET, Key=name)["Body"].read()
            for name, written in self.objects(ticket).items()
            if written.get("kedge-kind") == "document"
        }

    def objects(self, ticket: str) -> dict[str, dict[str, str]]:
        """What is written on each object of a ticket, tombstones too, by name."""
        client = client_of(self.store_port)
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix="documents/")
        names = [each["Key"] for page in pages for each in page.get("Contents", [])]
        return {
            name: client.head_object(Bucket=BUCKET, Key=name)["Metadata"]
            for name in sorted(names)
            if name.endswith(f"/refund-{ticket}.json")
        }

    def _has_bucket(self) -> bool:
        try:
            client_of(self.store_port).head_bucket(Bucket=BUCKET)
        except ClientError:
            return False
        return True
