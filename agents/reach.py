"""Where the declared tools and the desks of this installation may connect to, and with what."""

import os
from collections import ChainMap

from django.conf import settings

from agents.tools.wire.reach import Reach


def here() -> Reach:
    """The environment as it is at each call, before the values that the demo brings itself."""
    own = dict(getattr(settings, "TOOL_VALUES", {}))
    hosts = frozenset(getattr(settings, "KEDGE_TOOL_PRIVATE_HOSTS", ()))
    return Reach(ChainMap(os.environ, own), hosts)
