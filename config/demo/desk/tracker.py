"""Roundup, the ticket tracker, for the demo and for tests: `python -m config.demo.desk.tracker`.

Takes a folder, a port of the loopback, and a file with the `login:password` that may write. Roundup refuses to serve as root by itself, so its WSGI application is served.
Nothing else imports this: an installation without the demo has no Roundup.
"""

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import waitress
from roundup.cgi.wsgi_handler import RequestDispatcher

from config.demo.desk.places import ORIGIN

STATUS = 'status=Link("status"))'
TEXTS = (
    "shop",
    "purchase",
    "currency",
    "customer",
    "customer_name",
    "customer_mail",
    "said",
    "answer",
)
# What tells the action of a ticket's last change.
OURS = ("kedge_action", "kedge_attempt", "kedge_key")


def make(folder: Path, port: int, login: str) -> None:
    """Make a tracker with its own database, whole or not at all; one that is there stays."""
    if folder.exists():
        return
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    _admin(unfinished, "install", "classic", "sqlite")
    _configure(unfinished / "config.ini", port)
    schema = unfinished / "schema.py"
    said = schema.read_text(encoding="utf-8")
    if said.count(STATUS) != 1:
        raise SystemExit("This Roundup has another classic schema than this code knows.")
    fields = [f"{name}=String()" for name in (*TEXTS, *OURS)] + ["cents=Integer()"]
    schema.write_text(
        said.replace(STATUS, f"{STATUS[:-1]}, {', '.join(fields)})"), encoding="utf-8"
    )
    name, _, password = login.partition(":")
    # Nobody signs in as its administrator.
    _admin(unfinished, "initialise", os.urandom(16).hex())
    add(unfinished, name, password, "User")
    unfinished.rename(folder)


def add(folder: Path, name: str, password: str, role: str) -> None:
    """Add somebody who may sign in."""
    given = [f"username={name}", f"password={password}", f"address={name}@kedge.example"]
    _admin(folder, "create", "user", *given, f"roles={role}")


def serve(folder: Path, port: int) -> None:
    """Serve the tracker; never returns."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    # One database of files: one request at a time.
    waitress.serve(RequestDispatcher(str(folder)), host="127.0.0.1", port=port, threads=1)


def _admin(folder: Path, *words: str) -> None:
    command = [str(Path(sys.executable).parent / "roundup-admin"), "-i", str(folder)]
    done = subprocess.run(
        [*command, *words],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode != 0:
        raise SystemExit(f"roundup-admin {words[0]}: {done.stderr.strip()[-500:]}")


def _configure(config: Path, port: int) -> None:
    said = config.read_text(encoding="utf-8")
    said = said.replace("#web = NO DEFAULT", f"web = http://127.0.0.1:{port}/")
    said = said.replace("#domain = NO DEFAULT", "domain = kedge.example")
    # Who writes over its API must say from where, and be let in from there.
    said = said.replace("\nallowed_api_origins = \n", f"\nallowed_api_origins = {ORIGIN}\n")
    # Behind a wire the Host header is the wire's.
    host = "csrf_enforce_header_host = "
    said = said.replace(f"\n{host}yes\n", f"\n{host}no\n")
    # Each request signs in with a long random password, so one round is as good as a million.
    rounds = "password_pbkdf2_default_rounds = "
    said = re.sub(rf"\n{rounds}\d+\n", f"\n{rounds}1000\n", said)
    config.write_text(said, encoding="utf-8")


if __name__ == "__main__":
    place, on, who = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    make(place, on, who.read_text(encoding="utf-8"))
    serve(place, on)
