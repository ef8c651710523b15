"""What a sovereignty hub tells of itself: resources, reagents, upgrades, workforce on its way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import asdict

from jobs.kinds._windows import Window, window_columns
from jobs.spec import Params, Row, Target, Wire, Write
from jobs.store.schema.sovereignty import (
    corporation_sovereignty_hub_detail,
    corporation_sovereignty_hub_reagent,
    corporation_sovereignty_hub_upgrade,
    corporation_sovereignty_transport,
)


class Reagent(Wire, frozen=True):
    """One reagent in the bay."""

    type_id: int
    amount: int
    burning_per_hour: int


class ReagentBay(Wire, frozen=True):
    """The bay, and when it was looked into."""

    last_updated: datetime
    reagents: tuple[Reagent, ...]


class Share(Wire, frozen=True):
    """How much there is of a resource, and how much is in use."""

    allocated: int
    available: int


class Resources(Wire, frozen=True):
    """Power and workforce."""

    power: Share
    workforce: Share


class Upgrade(Wire, frozen=True):
    """One upgrade."""

    type_id: int
    power_state: str


class WantedSource(Wire, frozen=True):
    """A system that workforce is to come from."""

    solar_system_id: int


class WantedImport(Wire, frozen=True):
    """Systems that workforce is to come from."""

    sources: tuple[WantedSource, ...]


class WantedExport(Wire, frozen=True):
    """Workforce that is to leave."""

    amount: int
    solar_system_id: int | None = None


class Configuration(Wire, frozen=True, rename={"import_": "import"}):
    """What was set up; one of the three."""

    import_: WantedImport | None = None
    export: WantedExport | None = None
    transit: bool | None = None


class Source(Wire, frozen=True):
    """Workforce that comes from a system."""

    amount: int
    solar_system_id: int


class Import(Wire, frozen=True):
    """Workforce that comes."""

    sources: tuple[Source, ...]


class Export(Wire, frozen=True):
    """Workforce that leaves."""

    amount: int | None = None
    solar_system_id: int | None = None


class State(Wire, frozen=True, rename={"import_": "import"}):
    """What does happen; one of the three."""

    import_: Import | None = None
    export: Export | None = None
    transit: bool | None = None


class Transport(Wire, frozen=True):
    """Workforce between systems."""

    configuration: Configuration
    state: State


class Hub(Wire, frozen=True, rename={"sovereignty_hub_id": "id"}):
    """What the detail route tells."""

    sovereignty_hub_id: int
    solar_system_id: int
    reagent_bay: ReagentBay
    resources: Resources
    upgrades: tuple[Upgrade, ...]
    workforce_transport: Transport
    fuel_access_list_id: int | None = None
    vulnerability_window: Window | None = None


def detail_rows(answer: Hub, params: Params) -> Iterator[Row]:
    """Yield the one row of the hub."""
    power, workforce = answer.resources.power, answer.resources.workforce
    yield {
        "sovereignty_hub_id": answer.sovereignty_hub_id,
        "fuel_access_list_id": answer.fuel_access_list_id,
        "reagents_updated_at": answer.reagent_bay.last_updated,
        "power_allocated": power.allocated,
        "power_available": power.available,
        "workforce_allocated": workforce.allocated,
        "workforce_available": workforce.available,
        **window_columns(answer.vulnerability_window),
    }


def reagent_rows(answer: Hub, params: Params) -> Iterator[Row]:
    """Yield a row for each reagent."""
    for one in answer.reagent_bay.reagents:
        yield {"sovereignty_hub_id": answer.sovereignty_hub_id, **asdict(one)}


def upgrade_rows(answer: Hub, params: Params) -> Iterator[Row]:
    """Yield a row for each upgrade."""
    for one in answer.upgrades:
        yield {"sovereignty_hub_id": answer.sovereignty_hub_id, **asdict(one)}


def transport_rows(answer: Hub, params: Params) -> Iterator[Row]:
    """Yield a row for each way that workforce is to take, or takes."""
    transport = answer.workforce_transport
    for is_state, side in ((False, transport.configuration), (True, transport.state)):
        for position, way in enumerate(_ways(side)):
            yield {
                "sovereignty_hub_id": answer.sovereignty_hub_id,
                "is_state": is_state,
                "position": position,
                **way,
            }


def _ways(side: Configuration | State) -> Iterator[Row]:
    for source in side.import_.sources if side.import_ else ():
        amount = source.amount if isinstance(source, Source) else None
        yield _way("import", source.solar_system_id, amount)
    if side.export is not None:
        yield _way("export", side.export.solar_system_id, side.export.amount)
    if side.transit:
        yield _way("transit", None, None)


def _way(direction: str, solar_system_id: int | None, amount: int | None) -> Row:
    return {"direction": direction, "solar_system_id": solar_system_id, "amount": amount}


_KEY = ("corporation_id", "sovereignty_hub_id")
HUB_TARGETS = (
    Target(corporation_sovereignty_hub_detail, key=_KEY, write=Write.REPLACE, rows=detail_rows),
    Target(
        corporation_sovereignty_hub_reagent,
        key=(*_KEY, "type_id"),
        write=Write.REPLACE,
        rows=reagent_rows,
    ),
    Target(
        corporation_sovereignty_hub_upgrade,
        key=(*_KEY, "type_id"),
        write=Write.REPLACE,
        rows=upgrade_rows,
    ),
    Target(
        corporation_sovereignty_transport,
        key=(*_KEY, "is_state", "position"),
        write=Write.REPLACE,
        rows=transport_rows,
    ),
)
