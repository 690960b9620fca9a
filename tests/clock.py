"""A clock for tests."""

from dataclasses import dataclass

NOON = 1_795_147_200.0  # 2026-11-20T04:00:00Z, noon in Shanghai


@dataclass
class StandingClock:
    """A clock that moves only when told."""

    now: float = NOON

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return self.now
