"""So many writes at once; and nobody waits for long behind one that hangs."""

from __future__ import annotations

import asyncio

from jobs.berths import AT_ONCE, Berths


class Traffic:
    """Counts who is on the way."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.go_on = asyncio.Event()

    async def drive(self, berths: Berths) -> None:
        async with berths.one():
            self.now += 1
            self.most = max(self.most, self.now)
            await self.go_on.wait()
            self.now -= 1


async def test_a_worker_uses_its_share_of_the_berths() -> None:
    for workers, share in ((4, AT_ONCE // 4), (1, AT_ONCE), (AT_ONCE * 2, 1)):
        berths, traffic = Berths(workers, held_s=60.0), Traffic()
        tasks = [asyncio.create_task(traffic.drive(berths)) for _ in range(AT_ONCE + 3)]
        for _ in range(5):
            await asyncio.sleep(0)
        assert traffic.now == share
        traffic.go_on.set()
        await asyncio.gather(*tasks)
        assert traffic.most == share


async def test_what_hangs_gives_its_berth_to_the_next_and_has_none_to_give_back() -> None:
    berths, hanging, late = Berths(AT_ONCE, held_s=0.01), Traffic(), Traffic()
    first = asyncio.create_task(hanging.drive(berths))
    await asyncio.sleep(0)
    late.go_on.set()
    async with asyncio.timeout(60):
        await late.drive(berths)
    assert late.most == hanging.now == 1
    hanging.go_on.set()
    await first
    traffic = Traffic()
    patient = Berths(AT_ONCE, held_s=60.0)
    patient._free = berths._free
    tasks = [asyncio.create_task(traffic.drive(patient)) for _ in range(2)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert traffic.now == 1
    traffic.go_on.set()
    await asyncio.gather(*tasks)


async def test_who_is_cancelled_while_it_waits_takes_no_berth_along() -> None:
    berths, traffic = Berths(AT_ONCE, held_s=60.0), Traffic()
    tasks = [asyncio.create_task(traffic.drive(berths)) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)
    tasks[1].cancel()
    traffic.go_on.set()
    async with asyncio.timeout(60):
        await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(60):
        await traffic.drive(berths)
