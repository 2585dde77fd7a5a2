"""The next release as a tree of its own: this code, and one more migration, which only adds."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.embedded import processes
from tests.ground import ROOT
from tests.othertables import OF_THE_NEXT

APP, NAME = OF_THE_NEXT
COLUMN: Final = "of_the_next_release"
MIGRATION: Final = """
from django.db import migrations

class Migration(migrations.Migration):
    dependencies = [("{app}", "{last}")]
    operations = [migrations.RunSQL("ALTER TABLE checkpoints_run ADD COLUMN {column} text")]
"""
NOT_TAKEN: Final = {APP, "manage.py", "var", "docs", "node_modules"}


def next_release(tree: Path) -> Path:
    """Lay it out; what does not differ is linked."""
    tree.mkdir()
    for each in ROOT.iterdir():
        if each.name not in NOT_TAKEN and not each.name.startswith("."):
            (tree / each.name).symlink_to(each)
    shutil.copy(ROOT / "manage.py", tree)
    shutil.copytree(ROOT / APP, tree / APP, ignore=shutil.ignore_patterns("__pycache__"))
    (last,) = MigrationLoader(None).graph.leaf_nodes(APP)
    text = MIGRATION.format(app=APP, last=last[1], column=COLUMN)
    (tree / APP / "migrations" / f"{NAME}.py").write_text(text, encoding="utf-8")
    return tree


def take_back() -> None:
    """The tables as this code knows them."""
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE checkpoints_run DROP COLUMN IF EXISTS {COLUMN}")
        cursor.execute("DELETE FROM django_migrations WHERE app = %s AND name = %s", OF_THE_NEXT)


@dataclass
class Crew:
    """Processes of either release, on the database of the test."""

    environment: dict[str, str]
    log: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, tree: Path, *words: str) -> subprocess.Popen[bytes]:
        """One `manage.py` process of a release."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                processes.tied([sys.executable, str(tree / "manage.py"), *words]),
                env={**os.environ, **self.environment},
                cwd=tree,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def end(self) -> None:
        """Kill what still runs."""
        for process in self.started:
            process.kill()
            process.wait()
