"""How the embedded Valkey is run: in the foreground, over a socket, keeping nothing.

Losing everything in it loses nothing: it only wakes workers (the sweeper repeats each wake-up).
"""

from config.embedded.binaries import valkey_program
from config.embedded.places import Places


def command(places: Places, *, port: int = 0) -> list[str]:
    """The command line of the server: on its socket, or on a `port` of the loopback instead."""
    socket = {"unixsocket": str(places.sockets / "valkey.sock"), "unixsocketperm": "700"}
    options = {
        **({} if port else socket),
        "port": str(port),
        "bind": "127.0.0.1",
        "dir": str(places.sockets),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "maxmemory": "128mb",
        "maxmemory-policy": "noeviction",
    }
    program = str(valkey_program(places))
    return [program, *(word for name, value in options.items() for word in (f"--{name}", value))]
