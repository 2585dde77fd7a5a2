"""A base backup is verified file by file: nothing missing, changed, or there too much."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from config.backups import verifying
from config.errors import BackupError

FILES = {"PG_VERSION": b"18\n", "base/1/1259": b"rows" * 100, "pg_wal/0001": b"the log"}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A data folder with PostgreSQL's manifest, and no log to read."""
    folder = tmp_path / "base"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "postgresql.auto.conf").touch()
    write_manifest(folder)
    return folder


def write_manifest(folder: Path) -> None:
    listed = [
        {
            "Path": name,
            "Size": len(content),
            "Checksum-Algorithm": "SHA256",
            "Checksum": sha256(content).hexdigest(),
        }
        for name, content in FILES.items()
        if not name.startswith("pg_wal")
    ]
    content = json.dumps({"Files": listed, "WAL-Ranges": []})[:-1] + ",\n"
    digest = sha256(content.encode()).hexdigest()
    (folder / "backup_manifest").write_text(f'{content}"Manifest-Checksum": "{digest}"}}\n')


def test_a_whole_backup_passes(base: Path) -> None:
    verifying.verify(base)


def test_a_changed_file_is_named(base: Path) -> None:
    (base / "base/1/1259").write_bytes(b"Rows" + b"rows" * 99)
    with pytest.raises(BackupError, match="base/1/1259 is not what its manifest says"):
        verifying.verify(base)


def test_a_missing_file_is_named(base: Path) -> None:
    (base / "PG_VERSION").unlink()
    with pytest.raises(BackupError, match="PG_VERSION is missing"):
        verifying.verify(base)


def test_a_file_too_much_is_named(base: Path) -> None:
    (base / "base/1/9999").touch()
    with pytest.raises(BackupError, match="base/1/9999 does not belong to it"):
        verifying.verify(base)


def test_a_changed_manifest_is_found(base: Path) -> None:
    path = base / "backup_manifest"
    path.write_text(path.read_text().replace('"Size": 3', '"Size": 4'))
    with pytest.raises(BackupError, match="is not what its last line says"):
        verifying.verify(base)


def with_a_log(base: Path) -> None:
    content = (base / "backup_manifest").read_text()
    span = '"WAL-Ranges": [{"Timeline": 1, "Start-LSN": "0/28", "End-LSN": "0/99"}]'
    listed, _, _ = content.replace('"WAL-Ranges": []', span).rpartition('"Manifest-Checksum"')
    digest = sha256(listed.encode()).hexdigest()
    (base / "backup_manifest").write_text(f'{listed}"Manifest-Checksum": "{digest}"}}\n')


def test_a_log_that_cannot_be_read_is_said(base: Path) -> None:
    with_a_log(base)
    with pytest.raises(BackupError, match="its log cannot be read"):
        verifying.verify(base)


def test_the_log_of_another_version_is_left_to_its_own_programs(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FILES, "PG_VERSION", b"15\n")
    (base / "PG_VERSION").write_bytes(FILES["PG_VERSION"])
    write_manifest(base)
    with_a_log(base)
    verifying.verify(base)
