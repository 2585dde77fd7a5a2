"""PostgreSQL clusters of a story's own: made, copied, copied while they work, followed, promoted."""

import os
import pwd
import shutil
from pathlib import Path

from config.backups import clients
from config.embedded import folders, postgres, processes
from config.embedded.places import places
from tests.chaos.servers import IMMEDIATE, Here, Postgres
from tests.ground import ACCOUNT, wait_for
from tests.ports import free_port

HBA = """\
local all all peer map=kedge
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
"""
SUPERUSER = postgres.SUPERUSER


def server(folder: Path, *, data: Path | None = None) -> Postgres:
    """A cluster below `folder`, not started: a new one, or one with a copy of a data folder."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    here = Here(**vars(places(folder, chosen=True, account=ACCOUNT)), port=free_port())
    folders.prepare(here)
    if data is not None:
        give(data, here)
    command = postgres.prepare(here, say=lambda _: None)
    hba = here.ground / "access" / "hba_own.conf"
    hba.write_text(HBA)
    hba.chmod(0o644)
    own = {"hba_file": hba, "listen_addresses": "127.0.0.1", "port": here.port}
    words = [word for name, value in own.items() for word in ("-c", f"{name}={value}")]
    tied = processes.tied([*command, *words], signal="INT", account=here.account)
    log = here.logs / "postgres.log"
    return Postgres("postgres", tied, here.port, log, here=here, password="none")


def give(data: Path, here: Here) -> None:
    """Copy a data folder to where this server's is, for the account that it runs as."""
    shutil.copytree(data, here.data, symlinks=True)
    (here.data / "postmaster.pid").unlink(missing_ok=True)
    if here.account:
        entry = pwd.getpwnam(here.account)
        for path in (here.data, *here.data.rglob("*")):
            os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
    here.data.chmod(0o700)


def fresh(folder: Path) -> Postgres:
    """A new cluster with our users and an empty database, started: it has an identifier of its own."""
    made = server(folder)
    made.start()
    postgres.make_database(made.here)
    return made


def base_backup(of: Postgres, to: Path, *, standby: bool = False) -> None:
    """What an administrator takes with PostgreSQL's own program, while everything runs."""
    words = ("--checkpoint=fast", "--wal-method=stream", "--no-sync")
    follow = ("--write-recovery-conf",) if standby else ()
    clients.run("pg_basebackup", "--pgdata", str(to), *words, *follow, url=of.url(SUPERUSER))


def dump(of: Postgres, to: Path) -> None:
    """The one database as a file."""
    clients.run("pg_dump", "--format=custom", f"--file={to}", url=of.url(SUPERUSER))


def load(dumped: Path, into: Postgres) -> None:
    """Bring a dump into a cluster that has our users and an empty database."""
    clients.run("pg_restore", "--exit-on-error", str(dumped), url=into.url(SUPERUSER))


def snapshot(of: Postgres, to: Path) -> None:
    """What a disk snapshot has: the data folder of a server that stopped dead, which then goes on."""
    of.stop(IMMEDIATE)
    shutil.copytree(of.here.data, to, symlinks=True)
    of.start()


def cut_off(standby: Postgres) -> None:
    """From now on this standby hears nothing; whoever waits for no standby notices nothing."""
    with standby.connect() as connection:
        connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
        connection.execute("SELECT pg_reload_conf()")
    wait_for(lambda: not follows(standby), "the standby is cut off")


def follows(standby: Postgres) -> bool:
    """Whether it is fed by its primary now."""
    with standby.connect() as connection:
        found = connection.execute("SELECT count(*) FROM pg_stat_wal_receiver").fetchall()
    return bool(found[0][0])


def promote(standby: Postgres) -> None:
    """Make it the primary: it goes on under a new timeline."""
    with standby.connect() as connection:
        connection.execute("SELECT pg_promote(wait => true)")
