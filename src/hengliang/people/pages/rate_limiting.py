"""How many wrong guesses at a code or a link are too many?

Codes and links cannot be guessed by chance; the limit keeps anybody from trying at speed. Only wrong guesses count, so
nobody who has the right code is slowed by it, unless others are guessing from the same address at that time.
"""

from __future__ import annotations

from collections import OrderedDict

CLIENTS = 10_000
"""Of how many addresses the guesses are remembered, in memory only."""


class GuessLimit:
    """Allows `burst` wrong guesses at once and then one every `pause` seconds, for a client and for all together.

    The limit for all is wide, or a few strangers could keep everybody else from their own codes: at a hundred guesses a
    second it takes 2⁶⁰ / 10⁴ / 10² seconds, 36,000 years, to meet one of ten thousand codes.
    """

    def __init__(
        self, burst: int = 10, pause: float = 6.0, burst_of_all: int = 10_000, pause_of_all: float = 0.01
    ) -> None:
        self.burst = burst
        self.pause = pause
        self.burst_of_all = burst_of_all
        self.pause_of_all = pause_of_all
        # A bucket is the moment at which its last wrong guess will be forgotten.
        self.forgotten_at: OrderedDict[str, float] = OrderedDict()
        self.all_forgotten_at = 0.0

    def allows(self, client: str, now: float) -> bool:
        """Return whether this client may try once more."""
        own = self.forgotten_at.get(client, 0.0)
        return (
            own - now <= (self.burst - 1) * self.pause
            and self.all_forgotten_at - now <= (self.burst_of_all - 1) * self.pause_of_all
        )

    def wrong(self, client: str, now: float) -> None:
        """Remember a wrong guess."""
        self.forgotten_at[client] = max(self.forgotten_at.pop(client, 0.0), now) + self.pause
        self.all_forgotten_at = max(self.all_forgotten_at, now) + self.pause_of_all
        while len(self.forgotten_at) > CLIENTS:
            self.forgotten_at.popitem(last=False)
