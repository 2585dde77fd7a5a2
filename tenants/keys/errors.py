"""What can be wrong with keys; each docstring is the sentence an operator reads."""


class KeysError(Exception):
    """Something encrypted cannot be used."""


class KeyRingError(KeysError):
    """A key of this installation's key ring is missing or wrong."""


class ErasedError(KeysError):
    """Personal data that this needs was erased, and nobody can bring it back."""


class EncryptionRefusedError(KeysError):
    """This value cannot be kept, because what is sensitive in it could not be encrypted."""
