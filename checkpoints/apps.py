"""Floor `checkpoints`: the record. What a run knows, who may advance it, what is stopped, what waits for a person."""

from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "checkpoints"
