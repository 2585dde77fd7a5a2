"""What the engine hands to a node, and what it collects from it for the commit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from canonical import digests
from canonical import json as canonical
from canonical.sensitivity import declares, pointer
from checkpoints import blobs, reading, versions
from checkpoints.errors import StateRefusedError
from checkpoints.graph import Json
from checkpoints.models import Run
from checkpoints.reading import Loaded
from checkpoints.versions import Versions
from tenants.keys import vaults
from tenants.keys.errors import EncryptionRefusedError

NOTHING: Mapping[str, Json] = {}
NAMES_A_BLOB = f'"{blobs.REFERENCE}"'.encode()


@dataclass
class NodeContext:
    """`checkpoints.graph.Context` for one step of one run. What it collects dies with a crash."""

    run: Run
    loaded: Loaded
    node: str
    seq: int
    input: Mapping[str, Json]
    appended: dict[str, list[Json]] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    fingerprints: dict[str, Json] = field(default_factory=dict)
    cost: dict[str, int] = field(default_factory=dict)
    lists: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    # Called before the database is asked: what this node starts from may still be on its way.
    settle: Callable[[], None] = lambda: None

    @property
    def run_id(self) -> str:
        return str(self.run.id)

    @property
    def tenant(self) -> str:
        return self.run.tenant.slug

    @property
    def combo(self) -> Versions:
        """What the combo of the run says; read once for all that are pinned to it."""
        return versions.of(self.run.combo)

    def append(self, chain: str, item: Json) -> None:
        """Add one item to a list. It is read back from its canonical bytes, like all state."""
        content, value = canonical.normal(item)
        kept = self.encrypted(content, self.lists.get(chain, NOTHING))
        value = value if kept is content else canonical.loads(kept)
        self.appended.setdefault(chain, []).append(value)

    def items(self, chain: str) -> list[Json]:
        """The whole list, with what this step has appended so far."""
        self.settle()
        committed = reading.chain_items(self.run, self.loaded, chain)
        stored = committed + self.appended.get(chain, [])
        items: list[Json] = vaults.vault_of(self.run.tenant_id).decrypted(stored)
        return items

    def put(self, content: bytes) -> dict[str, Json]:
        """Keep a large value; stored with this step, and committed with its checkpoint."""
        reference = blobs.reference_to(content)
        self.large[str(reference[blobs.REFERENCE])] = content
        return reference

    def get(self, reference: Mapping[str, Json]) -> bytes:
        """The bytes of a large value."""
        mine = self.large.get(str(reference[blobs.REFERENCE]))
        if mine is not None:
            return mine
        self.settle()
        return blobs.get(self.run.tenant_id, reference)

    def store(self, state: Json) -> tuple[str, ...]:
        """Store the large values of a step, when all that is sensitive in it is known.

        They are kept as they are, for tools to read and people to see. So one in which something
        sensitive stands is refused. Returns their digests. Raises `StateRefusedError`.
        """
        known = vaults.vault_of(self.run.tenant_id).known
        for digest, content in self.large.items():
            if known and known.content(content) != content:
                named = blobs.places_in({"state": state, "lists": self.appended})
                where = next((pointer(path) for path, of in named if of == digest), "nowhere")
                raise StateRefusedError(
                    f"something sensitive stands in the large value of {len(content)} bytes that "
                    f"{where} names; large values are not encrypted, so keep it in a field of the state"
                )
        if self.large:
            self.settle()
        for content in self.large.values():
            blobs.put(self.run.tenant_id, content)
        return tuple(self.large)

    def saw(self, source: str, version: str) -> None:
        """Record the version of something this node read."""
        self.fingerprints[source] = [version, self.node]

    def spent(self, **amounts: int) -> None:
        """Record what a model call cost."""
        for name, amount in amounts.items():
            self.cost[name] = self.cost.get(name, 0) + amount

    def chains(self) -> dict[str, Json]:
        """Length and digest of every list after this step."""
        chains: dict[str, Json] = dict(self.loaded.state.get(reading.CHAINS, {}))
        for chain, items in self.appended.items():
            at = chains.get(chain, {"length": 0, "digest": digests.GENESIS})
            tail = at["digest"]
            for item in items:
                tail = digests.chain(tail, canonical.dumps(item))
            chains[chain] = {"length": at["length"] + len(items), "digest": tail}
        return chains

    def encrypted(self, content: bytes, schema: Mapping[str, Json]) -> bytes:
        """Canonical bytes as they may be kept. Raises `StateRefusedError`, `KeyRingError`."""
        vault = vaults.vault_of(self.run.tenant_id)
        for source, (version, _node) in self.fingerprints.items():
            if vault.known.finds(source) or vault.known.finds(version):
                raise StateRefusedError(f"{self.node} names a source by something sensitive")
        if vault.known or declares(schema):
            self.settle()
        try:
            kept = vault.encrypted_bytes(content, schema)
        except EncryptionRefusedError as error:
            raise StateRefusedError(f"the state cannot be kept: {error}") from error
        if kept is not content and NAMES_A_BLOB in content:
            _refuse_sensitive_blobs(canonical.loads(content), canonical.loads(kept))
        return kept

    def encrypt_late(self) -> bool:
        """Encrypt in the lists what this step came to know as sensitive after it had appended it.

        True when there was any. Raises `StateRefusedError`.
        """
        vault, before = vaults.vault_of(self.run.tenant_id), self.appended
        try:
            self.appended = {
                chain: [vault.copies_encrypted(item) for item in items]
                for chain, items in before.items()
            }
        except EncryptionRefusedError as error:
            raise StateRefusedError(f"a list cannot be kept: {error}") from error
        return self.appended != before

    def appended_bytes(self) -> bytes | None:
        """What this step appended, for the checkpoint row; None when nothing."""
        return canonical.dumps(self.appended) if self.appended else None


def _refuse_sensitive_blobs(value: Json, kept: Json) -> None:
    """What is marked sensitive cannot be a large value: only its name would be encrypted."""
    shown = set(blobs.named_in(kept))
    for path, digest in blobs.places_in(value):
        if digest not in shown:
            raise StateRefusedError(
                f"{pointer(path) or 'the whole'} is marked sensitive and is a large value; those "
                "are not encrypted, so keep it in the state itself"
            )


def handed(state: Mapping[str, Json]) -> dict[str, Json]:
    """The state for a node that is run once: parsed from the committed bytes, and used up.

    Nobody reads it again: the commit brings a newly parsed one, and a turn that fails ends.
    """
    return {name: value for name, value in state.items() if not name.startswith("$")}


def visible(state: Mapping[str, Json]) -> dict[str, Json]:
    """The state as a node sees it: a copy without the engine's own members."""
    own = {name: value for name, value in state.items() if not name.startswith("$")}
    return canonical.loads_object(canonical.dumps(own))


def sealed_state(
    state: object, context: NodeContext, *, limit: int
) -> tuple[bytes, dict[str, Json]]:
    """Canonical bytes of what a node left behind, and the state read back from them.

    Raises `StateRefusedError` naming the path, or the size and the limit.
    """
    if not isinstance(state, dict):
        raise StateRefusedError(f"the state is a {type(state).__name__}, not an object")
    own = [name for name in state if isinstance(name, str) and name.startswith("$")]
    if own:
        raise StateRefusedError(f"the state has {own[0]!r}; names with $ belong to the engine")
    chains = context.chains()
    try:
        content, value = canonical.normal(
            {**state, reading.CHAINS: chains} if chains else state, limit=limit
        )
    except canonical.CanonicalError as error:
        raise StateRefusedError(f"the state cannot be kept: {error}") from error
    assert isinstance(value, dict)  # noqa: S101 - it went in as one
    return content, value
