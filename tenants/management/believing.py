"""Whose signatures a command believes: the keys it is told of and no other, else this installation's."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from tenants.signing import BadKey, Believed, PublicKey
from tenants.trail import heads


def add_argument(parser: ArgumentParser) -> None:
    """Let a verb be told of keys, in base64, any number of times."""
    parser.add_argument(
        "--public-key", action="append", help="believe this key, and no other", metavar="BASE64"
    )


def believed(options: dict[str, Any]) -> Believed:
    """The keys to believe. Raises `CommandError` for one that is no key."""
    if not options["public_key"]:
        return heads.believed()
    try:
        return Believed.of([PublicKey.of(text) for text in options["public_key"]])
    except BadKey as error:
        raise CommandError(str(error)) from None
