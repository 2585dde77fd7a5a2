"""Roundup, the ticket tracker, on a port of the loopback: `tickets.py FOLDER PORT`, in its own process.

It refuses to serve as root by itself, so its WSGI application is served here.
"""

import subprocess
import sys
from pathlib import Path

from roundup.cgi.wsgi_handler import RequestDispatcher
from waitress import serve

ORIGIN = "https://kedge.example"
STATUS = 'status=Link("status"))'
# What tells the action of a ticket's last change.
OURS = "kedge_action=String(), kedge_attempt=String(), kedge_key=String())"


def main(folder: Path, port: int) -> None:
    """Make a tracker with its own database and serve it; never returns."""
    admin = [str(Path(sys.executable).parent / "roundup-admin"), "-i", str(folder)]
    subprocess.run([*admin, "install", "classic", "anydbm"], check=True, stdin=subprocess.DEVNULL)
    config, schema = folder / "config.ini", folder / "schema.py"
    said = config.read_text(encoding="utf-8")
    said = said.replace("#web = NO DEFAULT", f"web = http://127.0.0.1:{port}/")
    said = said.replace("#domain = NO DEFAULT", "domain = example.org")
    # Who writes over its API must say from where, and be let in from there.
    said = said.replace("\nallowed_api_origins = \n", f"\nallowed_api_origins = {ORIGIN}\n")
    # Behind a wire the Host header is the wire's.
    host = "csrf_enforce_header_host = "
    said = said.replace(f"\n{host}yes\n", f"\n{host}no\n")
    config.write_text(said, encoding="utf-8")
    said = schema.read_text(encoding="utf-8")
    assert said.count(STATUS) == 1
    schema.write_text(said.replace(STATUS, f"{STATUS[:-1]}, {OURS}"), encoding="utf-8")
    subprocess.run([*admin, "initialise", "secret"], check=True)
    for login in ("desk", "clerk"):
        given = [f"username={login}", f"password={login}", f"address={login}@example.org"]
        roles = "roles=User" if login == "desk" else "roles=Anonymous"
        subprocess.run([*admin, "create", "user", *given, roles], check=True)
    # One database of files: one request at a time.
    serve(RequestDispatcher(str(folder)), host="127.0.0.1", port=port, threads=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
