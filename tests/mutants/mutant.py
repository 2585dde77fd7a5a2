"""One safety check taken out of a copy of the source, and the test that must not let it pass."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """`old`, which stands in `path` exactly once, becomes `new`; `test` must then fail.

    `rule` says what the check is for. A test id is as pytest prints it, without parameters.
    """

    name: str
    rule: str
    path: str
    old: str
    new: str
    test: str

    @property
    def is_of_the_database(self) -> bool:
        """Whether what it changes is made by a migration, so that a new database must be made."""
        return "/migrations/" in self.path

    def why_not(self, root: Path) -> str:
        """What keeps it from being applied or tested in this tree; "" when nothing does."""
        file, tests = root / self.path, root / self.test.partition("::")[0]
        if not file.exists() or not tests.exists():
            return f"{self.name}: {self.path} or {self.test} is not there"
        found = file.read_text().count(self.old)
        if found != 1:
            return f"{self.name}: what it changes stands {found} times in {self.path}, not once"
        if f"def {self.test.rpartition('::')[2]}(" not in tests.read_text():
            return f"{self.name}: there is no {self.test}"
        return ""

    def applied(self, root: Path) -> None:
        """Take the check out of this copy of the source."""
        file = root / self.path
        file.write_text(file.read_text().replace(self.old, self.new))
