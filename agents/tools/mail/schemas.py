"""What a mail is asked with and what the tool answers, as JSON Schemas."""

from typing import Any

# The end of the whole text; "$" would let a line break pass.
_END = r"(?![\s\S])"
_ADDRESS = {
    "type": "string",
    "maxLength": 254,
    "pattern": r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"
    + _END,
}

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "to": _ADDRESS,
        "from": _ADDRESS,
        "subject": {
            "type": "string",
            "minLength": 1,
            "maxLength": 500,
            "pattern": rf"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*{_END}",
        },
        "body": {"type": "string", "maxLength": 200_000, "pattern": rf"^[^\u0000\r]*{_END}"},
        # Fixed when the mail is proposed; without it the mail has no Date.
        "date": {
            "type": "string",
            "pattern": rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T([0-9]{{2}}:){{2}}[0-9]{{2}}Z{_END}",
        },
    },
    "required": ["body", "from", "subject", "to"],
    "additionalProperties": False,
}

RECEIPT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "message_id": {"type": "string"},
        "key": {"type": "string"},
        "answer": {
            "type": "object",
            "properties": {"code": {"const": 250}, "text": {"type": "string"}},
            "required": ["code", "text"],
            "additionalProperties": False,
        },
    },
    "required": ["answer", "key", "message_id"],
    "additionalProperties": False,
}
