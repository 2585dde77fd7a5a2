"""`python -m tests.upgrades make VERSION`: store a database of this code as that of a release.

Made anew while the release is being made, and never again once it is out.
"""

import sys

from django.utils.module_loading import import_string

from tests.upgrades.ground import prepared


def main(words: list[str]) -> int:
    """Exit code."""
    match words:
        case ["make", version]:
            with prepared() as folder:
                # By name: what it imports needs Django to be set up.
                import_string("tests.upgrades.making.make")(version, folder)
            return 0
    sys.stderr.write(f"{__doc__}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
