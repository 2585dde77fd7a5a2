"""What a combo is called in a label: its task type and the beginning of its digest."""

from collections.abc import Iterable, Mapping
from typing import Final

from checkpoints.models import Combo
from config.metrics import catalog

OTHERS: Final = {"task_type": "", "combo": "others"}
Labels = Mapping[str, str]


class Names:
    """The newest combos among these ids by name, so many that a label stays small; the rest as one."""

    def __init__(self, ids: Iterable[int]) -> None:
        shown = sorted(set(ids), reverse=True)[: catalog.COMBOS]
        self._labels = {
            combo.pk: {"task_type": combo.task_type, "combo": combo.hex[:12]}
            for combo in Combo.objects.filter(pk__in=shown).defer("manifest")
        }

    def of(self, combo: int) -> Labels:
        """The labels of one combo."""
        return self._labels.get(combo, OTHERS)
