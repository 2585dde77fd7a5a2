"""One safety check taken out of a copy of the source, and the test that must not let it pass."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FUNCTION: Final = re.compile(r"CREATE (?:OR REPLACE )?FUNCTION (\w+)\(")


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
        later = self._redefined_in(file)
        if later:
            return f"{self.name}: the function is defined anew in {later}; change it there"
        if f"def {self.test.rpartition('::')[2]}(" not in tests.read_text():
            return f"{self.name}: there is no {self.test}"
        return ""

    def _redefined_in(self, file: Path) -> str:
        """The later migration that puts another body in place of the changed one; "" for none."""
        if file.suffix != ".sql":
            return ""
        [*_, name] = ["", *FUNCTION.findall(file.read_text().partition(self.old)[0])]
        later = [each for each in sorted(file.parent.glob("*.sql")) if each.name > file.name]
        anew = [each.name for each in later if name in FUNCTION.findall(each.read_text())]
        return anew[-1] if anew else ""

    def applied(self, root: Path) -> None:
        """Take the check out of this copy of the source."""
        file = root / self.path
        file.write_text(file.read_text().replace(self.old, self.new))
