"""What one pass cost: jobs, requests, rows, time, and the CPU of each part."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Measured:
    """One pass of one peer; a figure that it does not have is 0."""

    elapsed_s: float
    jobs: int
    requests: int
    rows: int
    # Seconds of CPU by part, the simulated EVE's apart.
    cpu_s: dict[str, float] = field(default_factory=dict)
    simulator_cpu_s: float = 0.0
    most_in_flight: int = 0

    @property
    def total_cpu_s(self) -> float:
        """Return the CPU of all parts but the simulated EVE."""
        return sum(self.cpu_s.values())

    @property
    def simulator_share(self) -> float:
        """Return how busy the simulated EVE's one process was; near 1 it is the bottleneck."""
        return self.simulator_cpu_s / self.elapsed_s

    def plain(self) -> dict[str, object]:
        """Return the pass for JSON."""
        return {
            "elapsed_s": self.elapsed_s,
            "jobs": self.jobs,
            "requests": self.requests,
            "rows": self.rows,
            "jobs_per_s": self.jobs / self.elapsed_s,
            "requests_per_s": self.requests / self.elapsed_s,
            "rows_per_s": self.rows / self.elapsed_s,
            "cpu_s": self.cpu_s,
            "cpu_s_per_1000_rows": self.total_cpu_s / self.rows * 1000 if self.rows else None,
            "cpu_ms_per_request": self.total_cpu_s / self.requests * 1000,
            "simulator_share": self.simulator_share,
            "most_in_flight": self.most_in_flight,
        }
