"""The settings that hold, and the reload that is under way. Pure but for the loading."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from ipc.commands import SetFeatures
from ipc.config import ConfigError
from ipc.scheduler_messages import Do, DoneCommand
from ipc.settings import Settings, encode_settings

# The engine takes these over while it runs.
_LIVE = frozenset({"features", "intervals", "profile"})
# The supervisor itself stands on these.
_FIXED = frozenset({"data_dir", "control", "store"})
# How long the engine may take to apply a reload before it is called done without its word.
APPLY_S = 5.0
_ID_PREFIX = "reload-"

# Told whether the reload went well, and what there is to say.
ReloadDone = Callable[[bool, str], None]
# Told the settings that hold from now on.
TakeOver = Callable[[Settings], None]


def merge(old: Settings, new: Settings) -> tuple[Settings, str]:
    """Return what holds from now on, and in words what is new and what waits for a restart."""
    # The place of the daemon, and the database that it has locked, cannot move under it.
    kept = {name: getattr(old, name) for name in _FIXED}
    merged = msgspec.structs.replace(new, **kept)
    engine = restart_keys(old, new)
    fixed = [key for key in changed_keys(old, new) if _table_of(key) in _FIXED]
    notes = live_changes(old, new)
    if engine:
        notes.append(f"{', '.join(engine)}: changes with `esisyncd restart`")
    if fixed:
        notes.append(f"{', '.join(fixed)}: changes with the next start of the daemon")
    return merged, "; ".join(notes)


def live_changes(old: Settings, new: Settings) -> list[str]:
    """Return in words what changes at once."""
    notes = [
        f"feature {name} is {_switched(new.features.get(name))}"
        for name in _changed_names(old.features, new.features)
    ]
    for name in _changed_names(old.intervals, new.intervals):
        every_s = new.intervals.get(name)
        notes.append(f"{name} runs {'as by default' if every_s is None else f'every {every_s} s'}")
    if old.profile != new.profile:
        notes.append(f"intervals are {new.profile}")
    return notes


def _changed_names(old: Mapping[str, int], new: Mapping[str, int]) -> list[str]:
    return [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]


def _switched(on: bool | None) -> str:
    if on is None:
        return "as by default"
    return "on" if on else "off"


def changed_keys(old: Settings, new: Settings) -> list[str]:
    """Return the keys of the configuration in which two settings differ, in their order."""
    keys = []
    for name in old.__struct_fields__:
        before, after = getattr(old, name), getattr(new, name)
        if before != after and isinstance(before, msgspec.Struct):
            fields = before.__struct_fields__
            keys += [f"{name}.{f}" for f in fields if getattr(before, f) != getattr(after, f)]
        elif before != after:
            keys.append(name)
    return sorted(keys)


def restart_keys(old: Settings, new: Settings) -> list[str]:
    """Return the changed keys that only a new scheduler, and its workers, take over."""
    return [key for key in changed_keys(old, new) if _table_of(key) not in _LIVE | _FIXED]


def _table_of(key: str) -> str:
    return key.partition(".")[0]


class Configuration:
    """Loads settings again when asked; requests that come meanwhile share one result."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Settings],
        take_over: TakeOver = lambda _settings: None,
    ) -> None:
        self.settings = settings
        # Why the last reload failed; shown until one succeeds.
        self.trouble = ""
        self._load = load
        self._take_over = take_over
        self._note = ""
        self._known_to_engine = settings
        # What the present engine was started with.
        self._greeted = settings
        # What an engine runs with; one that refuses others goes on with these.
        self._accepted = settings
        # Settings that a living engine was sent and has not answered, by the command's id.
        self._sent: dict[str, Settings] = {}
        self._askers: list[ReloadDone] = []
        self._count = 0
        self._until_s: float | None = None

    @property
    def is_reloading(self) -> bool:
        """Tell whether a reload is under way."""
        return self._until_s is not None

    @property
    def must_be_sent(self) -> bool:
        """Tell whether the engine has not been told the present settings."""
        return self._known_to_engine != self.settings

    @property
    def waits_for_restart(self) -> tuple[str, ...]:
        """Return the keys that have changed since the present engine was started."""
        return tuple(restart_keys(self._greeted, self.settings))

    def reload(self, done: ReloadDone, now_s: float) -> None:
        """Read the settings again; what cannot be used changes nothing."""
        self._askers.append(done)
        self._until_s = now_s
        self.trouble = self._note = ""
        # The answer to an earlier round tells nothing about this one.
        self._count += 1
        try:
            self.settings, self._note = merge(self.settings, self._load())
        except ConfigError as error:
            self.trouble = f"reload: {error}"
        else:
            self._take_over(self.settings)

    def for_new_engine(self) -> bytes:
        """Return the settings that a new scheduler is greeted with.

        Features, intervals and retention are those that an engine has accepted: only an engine
        knows their names. It is sent the others when it is up, and may refuse them then.
        """
        known = msgspec.structs.replace(
            self.settings,
            features=self._accepted.features,
            intervals=self._accepted.intervals,
            retention=self._accepted.retention,
            profile=self._accepted.profile,
        )
        self._known_to_engine = self._accepted = self._greeted = known
        self._sent.clear()
        return encode_settings(known)

    def for_live_engine(self, now_s: float) -> Do:
        """Return the command that tells a scheduler the present features and intervals."""
        self._known_to_engine = self.settings
        self._until_s = now_s + APPLY_S
        command_id = f"{_ID_PREFIX}{self._count}"
        self._sent[command_id] = self.settings
        return Do(command_id, SetFeatures(encode_settings(self.settings)))

    def answered(self, done: DoneCommand, now_s: float) -> bool:
        """Take the engine's answer if it is one to a reload; tell whether it is."""
        if not done.command_id.startswith(_ID_PREFIX):
            return False
        sent = self._sent.pop(done.command_id, None)
        if sent is not None and done.ok:
            self._accepted = sent
        if done.command_id == f"{_ID_PREFIX}{self._count}":
            if done.ok:
                self.trouble = ""
            elif sent is not None:
                self._go_back(f"reload: {done.text}")
            self.hurry(now_s)
        return True

    def _go_back(self, trouble: str) -> None:
        """Hold what the engine runs with instead of what it has refused."""
        self.trouble, self._note = trouble, ""
        self.settings = self._known_to_engine = self._accepted
        self._take_over(self.settings)

    def hurry(self, now_s: float) -> None:
        """Let a reload under way end now: nobody will answer any more."""
        if self._until_s is not None:
            self._until_s = now_s

    def finish(self, now_s: float) -> bool:
        """Tell the askers if the reload is over; return whether it is."""
        if self._until_s is None or now_s < self._until_s:
            return False
        self._until_s = None
        askers, self._askers = self._askers, []
        for done in askers:
            done(not self.trouble, self.trouble or self._note)
        return bool(askers)
