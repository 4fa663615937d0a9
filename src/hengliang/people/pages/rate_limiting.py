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

    The limit for all is for those who guessed wrong: whoever has the right code passes it, or a few strangers could
    keep everybody else from their own codes. So it is the length of codes that protects them: at ten thousand guesses a
    second it takes 2⁶⁰ / 10⁴ / 10⁴ seconds, 365 years, to meet one of ten thousand codes.

    Times are those of a clock that nobody sets: one that was set back would keep everybody waiting for as long.
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
        """Return whether this client may guess wrong once more."""
        return self.may_try(client, now) and self._all_may(now)

    def may_try(self, client: str, now: float) -> bool:
        """Return whether this client may try a code that may be right, whatever others do."""
        return self.forgotten_at.get(client, 0.0) - now <= (self.burst - 1) * self.pause

    def wrong(self, client: str, now: float) -> None:
        """Remember a wrong guess; one too many of all is remembered of its client alone."""
        self.forgotten_at[client] = max(self.forgotten_at.pop(client, 0.0), now) + self.pause
        if self._all_may(now):
            self.all_forgotten_at = max(self.all_forgotten_at, now) + self.pause_of_all
        while len(self.forgotten_at) > CLIENTS:
            self.forgotten_at.popitem(last=False)

    def _all_may(self, now: float) -> bool:
        return self.all_forgotten_at - now <= (self.burst_of_all - 1) * self.pause_of_all
