"""Room for the bodies that are read at the same time: when it is full, one goes on after the other.

A small answer can swell to the limit of a body when it is decoded. One that does costs that much;
of many that do at once, all but one wait where they are. What stays small waits for nobody.
"""

from __future__ import annotations

import asyncio

# Of all requests of a process together: as many pages of ESI as there can be at once.
ROOM_BYTES = 64 << 20
# Most pages of ESI, and all that it says to a write.
SMALL_BYTES = 256 << 10


class Room:
    """Counts the bytes of all bodies that are being read; used on one loop only."""

    def __init__(self, size_bytes: int = ROOM_BYTES, small_bytes: int = SMALL_BYTES) -> None:
        """Take how much there may be before bodies wait, and up to which size none does."""
        self.size_bytes = size_bytes
        self.small_bytes = small_bytes
        self.taken_bytes = 0
        # Whoever has it goes on though the room is full.
        self.turn = asyncio.Lock()


class Share:
    """What one body has taken of a room."""

    __slots__ = ("_has_turn", "_room", "size_bytes")

    def __init__(self, room: Room) -> None:
        """Take nothing yet."""
        self._room = room
        self._has_turn = False
        self.size_bytes = 0

    async def take(self, more_bytes: int) -> None:
        """Count a piece that was read; wait where others must end first."""
        room = self._room
        self.size_bytes += more_bytes
        room.taken_bytes += more_bytes
        is_small = self.size_bytes <= room.small_bytes
        if room.taken_bytes > room.size_bytes and not is_small and not self._has_turn:
            await room.turn.acquire()
            self._has_turn = True

    def give_back(self) -> None:
        """Leave the room, whether or not the body came whole."""
        self._room.taken_bytes -= self.size_bytes
        self.size_bytes = 0
        if self._has_turn:
            self._has_turn = False
            self._room.turn.release()
