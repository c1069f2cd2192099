"""Cursors: how a search says where its next page starts.

A cursor is opaque to clients (MCP 2026-07-28, server/utilities/pagination, says so of the protocol's own
lists, and the desk keeps to it); it fits the pattern in `schemas.CURSOR`.
"""

import base64
import binascii

from helpdesk.errors import DeskError

__all__ = ["decode_cursor", "encode_cursor"]


def encode_cursor(ticket_id: int) -> str:
    """An opaque word for "the tickets before this one"."""
    return base64.urlsafe_b64encode(f"before:{ticket_id}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> int:
    """The ticket number in a cursor that `encode_cursor` made.

    Raises:
        DeskError: `INVALID`, when it made no such cursor.
    """
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        ticket_id = int(text.removeprefix("before:"))
    except (binascii.Error, ValueError):
        ticket_id = 0
    if encode_cursor(ticket_id) != cursor or not 0 < ticket_id < 2**63:
        raise DeskError(
            "INVALID",
            "That cursor is not one that a search returned.",
            "Leave `cursor` out and call `tickets_search` again to start from the first page.",
        )
    return ticket_id
