"""`manage.py tools`: what each tool can do after an unknown outcome; checks declaration files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents import declarations, reach
from agents.registry import TOOLS
from agents.tools.errors import BadDeclaration
from reconciliation.tools import Capabilities, Tool


class Command(BaseCommand):
    """Lists the tools of this installation, or those of the files that are named."""

    help = "List tools and what they can do after an unknown outcome, or check declaration files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Files, none for all tools of the installation."""
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line for each tool."""
        try:
            named = [declarations.tool(path, reach.here()) for path in options["files"]]
        except (BadDeclaration, OSError) as error:
            raise CommandError(str(error)) from error
        for tool in named or TOOLS.by_name.values():
            self.stdout.write(_line(tool))


def _line(tool: Tool) -> str:
    acts_as = tool.acting_credential or "no credential"
    return f"{tool.name} {tool.version} ({acts_as}): {said(tool.capabilities)}"


def said(can: Capabilities) -> str:
    """What an operator may expect after an unknown outcome."""
    if can.void:
        return "looks it up; can make it void: one effect, unconditionally"
    if can.look_up:
        return "looks it up: one effect, if nothing arrives later than its margin"
    if can.keyed is not None:
        return f"sends it again under its key: one effect, for {can.keyed.remembers_seconds} s"
    return "a person decides; never sent again by itself"
