"""Where things are: the FOCUSCRAWL_* settings, read once into a frozen value.

Order of strength: the command line (``-s``) > the environment > settings.py.
"""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from focuscrawl.locale.messages import _
from focuscrawl.values import Clock, SystemClock

STANDARD_OUTPUT = "-"
"""How a file is called that is printed."""

COMMAND_LINE_PRIORITY = 40
"""Scrapy's priority of ``-s``: a value set there beats the environment."""

BEAT = 0.5
"""Seconds between two windows of a crawl that has something to write, or that others share."""

FEWEST_BEATS = 3

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")
DURATIONS = re.compile(rf"(?:{DURATION.pattern})+")

LOG_STYLES = ("text", "json")

TWISTED = "twisted"
HTTP_HANDLERS = {
    TWISTED: "",
    "aiohttp": "focuscrawl.kernel.transport.aiohttp_handler.AiohttpHandler",
}
"""By which library pages are fetched (FOCUSCRAWL_HTTP), and the download handler for it; "" for Scrapy's own."""

NEAR_DUPLICATES = ("drop", "mark", "keep")
NEAR_DUPLICATE_FIELDS = {"key": "url", "text": "text", "title": "title", "mark": "copy_of"}
"""What each field of an item is for, and how it is called."""


class ConfigError(ValueError):
    """A setting that cannot be used; the message names it, what it was and what is allowed."""


class SettingsReader(Protocol):
    """What is asked of Scrapy's Settings, so that this module needs no Scrapy."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a setting."""

    def getpriority(self, name: str) -> int | None:
        """Return where a setting was made: 0 default … 20 project … 40 command line."""


@dataclass(frozen=True, slots=True)
class Config:
    """The places and habits of one installation; times in seconds.

    Of a crawl that several processes share, each holds its partitions for a ``lease`` from its last beat
    (``stores.redis.lease`` has the rule), and leaves a ``grace`` to what is in flight of those that others are to have.
    """

    data_dir: Path
    topics: tuple[Path, ...]
    results: str
    clock: Clock
    text_index: bool
    retry_waits: tuple[float, ...]
    linger: float
    synchronous: str
    private: tuple[IPv4Network | IPv6Network, ...]
    inline_folders: tuple[Path, ...]
    fresh: bool
    near_duplicates: str
    near_duplicate_fields: Mapping[str, str]
    features: Mapping[str, int | None]
    lease: float
    grace: float
    seed: int
    smtp: str = field(default="", repr=False)
    notify: str = field(default="", repr=False)

    def results_of(self, name: str) -> str | Path:
        """Return where the results of a topic are, or would be."""
        return self.results or self.data_dir / f"{name}.db"


def beside_reports(name: str, data_dir: Path) -> str:
    """Return where a file of output goes: a name alone lies where reports and results do, a path where it says."""
    is_path = "/" in name or os.sep in name or bool(urlsplit(name).scheme)
    return name if is_path else str(data_dir / name)


def seconds(text: str, name: str) -> float:
    """Read a duration such as ``90s``, ``1h30m`` or ``500ms``; ``name`` is for the error."""
    text = text.strip()
    if not DURATIONS.fullmatch(text):
        raise ConfigError(
            _('{name} = {text!r}: write a duration such as "90s", "10m" or "1h30m"').format(
                name=name, text=text
            )
        )
    return sum(float(number) * SECONDS[unit] for number, unit in DURATION.findall(text))


def read_config(
    settings: SettingsReader, environment: Mapping[str, str], project_dir: Path | None
) -> Config:
    """Read all FOCUSCRAWL_* settings.

    ``project_dir`` is the folder of scrapy.cfg, None outside a project (an egg under scrapyd, a
    cloud job): there FOCUSCRAWL_DATA_DIR must be set, since the current directory is not ours.
    Raises ConfigError.
    """

    def setting(name: str) -> Any:
        return _setting(settings, environment, name)

    log_style(settings, environment)
    prometheus_place(settings, environment)
    return Config(
        data_dir=_data_dir(setting("FOCUSCRAWL_DATA_DIR"), project_dir),
        topics=topics_folders(settings, environment, project_dir),
        results=str(setting("FOCUSCRAWL_RESULTS") or ""),
        clock=_clock(str(setting("FOCUSCRAWL_CLOCK") or "")),
        text_index=_truth(setting("FOCUSCRAWL_TEXT_INDEX"), "FOCUSCRAWL_TEXT_INDEX"),
        retry_waits=tuple(
            seconds(wait, "FOCUSCRAWL_RETRY_WAITS")
            for wait in _texts(setting("FOCUSCRAWL_RETRY_WAITS") or "1m,10m,1h")
        ),
        linger=seconds(str(setting("FOCUSCRAWL_LINGER") or "2m"), "FOCUSCRAWL_LINGER"),
        synchronous=_synchronous(str(setting("FOCUSCRAWL_SYNCHRONOUS") or "NORMAL")),
        private=_networks(setting("FOCUSCRAWL_PRIVATE") or ()),
        inline_folders=_inline_folders(settings, environment, project_dir),
        fresh=_truth(setting("FOCUSCRAWL_FRESH"), "FOCUSCRAWL_FRESH"),
        near_duplicates=_near_duplicates(str(setting("FOCUSCRAWL_NEAR_DUPLICATES") or "drop")),
        near_duplicate_fields=_fields(setting("FOCUSCRAWL_NEAR_DUPLICATE_FIELDS") or {}),
        features=own_features(settings, environment),
        lease=_lease(seconds(str(setting("FOCUSCRAWL_LEASE") or "15s"), "FOCUSCRAWL_LEASE")),
        grace=float(settings.get("DOWNLOAD_TIMEOUT") or 0.0),
        seed=_seed(str(setting("FOCUSCRAWL_SEED") or "")),
        smtp=str(setting("FOCUSCRAWL_SMTP") or ""),
        notify=str(setting("FOCUSCRAWL_NOTIFY") or ""),
    )


def _seed(given: str) -> int:
    """Read a seed; 0: each run draws its own."""
    if given and not (given.isascii() and given.isdecimal() and int(given) > 0):
        raise ConfigError(
            _(
                "FOCUSCRAWL_SEED = {given!r}: write a whole number from 1, or nothing: then each run"
                " draws its own and stores it"
            ).format(given=given)
        )
    return int(given or 0)


def _lease(given: float) -> float:
    if given < FEWEST_BEATS * BEAT:
        raise ConfigError(
            _(
                "FOCUSCRAWL_LEASE = {given:g}s: write {least:g}s or more; a worker says every"
                " {beat:g} s that it lives, and one late answer must not end its lease"
            ).format(given=given, least=FEWEST_BEATS * BEAT, beat=BEAT)
        )
    return given


def log_style(settings: SettingsReader, environment: Mapping[str, str]) -> str:
    """Return FOCUSCRAWL_LOG: how lines of the log are written. Raises ConfigError."""
    style = str(_setting(settings, environment, "FOCUSCRAWL_LOG") or LOG_STYLES[0])
    if style not in LOG_STYLES:
        raise ConfigError(
            _("FOCUSCRAWL_LOG = {style!r}: write one of {allowed}").format(
                style=style, allowed=", ".join(LOG_STYLES)
            )
        )
    return style


def http_handler(settings: SettingsReader, environment: Mapping[str, str]) -> str:
    """Return FOCUSCRAWL_HTTP as the name of a download handler, "" for Scrapy's own. Raises ConfigError."""
    given = str(_setting(settings, environment, "FOCUSCRAWL_HTTP") or TWISTED)
    if given not in HTTP_HANDLERS:
        raise ConfigError(
            _("FOCUSCRAWL_HTTP = {given!r}: write one of {allowed}").format(
                given=given, allowed=", ".join(HTTP_HANDLERS)
            )
        )
    if HTTP_HANDLERS[given] and not find_spec(given):
        raise ConfigError(
            _('FOCUSCRAWL_HTTP = {given!r} needs it: pip install "focuscrawl[{given}]"').format(
                given=given
            )
        )
    return HTTP_HANDLERS[given]


def prometheus_place(
    settings: SettingsReader, environment: Mapping[str, str]
) -> tuple[str, int] | Path | None:
    """Return FOCUSCRAWL_PROMETHEUS: host and port, or a file; None: nothing is shown. Raises ConfigError."""
    value = str(_setting(settings, environment, "FOCUSCRAWL_PROMETHEUS") or "").strip()
    if not value:
        return None
    if value.endswith(".prom"):
        return Path(value).expanduser()
    host, _colon, port = value.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ConfigError(
            _(
                "FOCUSCRAWL_PROMETHEUS = {value!r}: write a port (9410), a host and a port"
                " (0.0.0.0:9410), or the path of a file that ends in .prom"
            ).format(value=value)
        )
    return host.strip("[]") or "127.0.0.1", int(port)


def project_dir() -> Path | None:
    """Return the folder of scrapy.cfg, here or above, as Scrapy looks for it; None outside a project."""
    here = Path.cwd()
    folders = (here, *here.parents)
    return next((folder for folder in folders if (folder / "scrapy.cfg").exists()), None)


def topics_folders(
    settings: SettingsReader, environment: Mapping[str, str], project_dir: Path | None
) -> tuple[Path, ...]:
    """Return the folders of topics (FOCUSCRAWL_TOPICS), relative to scrapy.cfg or to here."""
    folders = _texts(_setting(settings, environment, "FOCUSCRAWL_TOPICS") or "topics")
    return tuple((project_dir or Path.cwd()) / Path(folder).expanduser() for folder in folders)


def feature_named(feature: str) -> Any:
    """Return a feature by its dotted name: a class, or a module. Raises ConfigError."""
    try:
        found = _imported(feature)
    except Exception as error:
        raise ConfigError(
            _(
                "FOCUSCRAWL_FEATURES: {feature!r} cannot be loaded ({error}): write the dotted name"
                " of a class that can be imported"
            ).format(feature=feature, error=error)
        ) from error
    if isinstance(found, type) and not getattr(found, "name", ""):
        raise ConfigError(
            _('FOCUSCRAWL_FEATURES: {feature!r} has no name: write name = "…" in its class').format(
                feature=feature
            )
        )
    return found


def _imported(name: str) -> Any:
    """Return a module, or what it defines, by its dotted name."""
    module, _dot, attribute = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in (name, module):  # found, but it needs what is not there
            raise
        return getattr(importlib.import_module(module), attribute)


def own_features(
    settings: SettingsReader, environment: Mapping[str, str]
) -> Mapping[str, int | None]:
    """Return FOCUSCRAWL_FEATURES: dotted names with their places among ours, None switches one off.

    Raises ConfigError.
    """
    value = _setting(settings, environment, "FOCUSCRAWL_FEATURES") or {}
    try:
        given = json.loads(value) if isinstance(value, str) else dict(value)
        if all(place is None or type(place) is int for place in given.values()):
            return cast("Mapping[str, int | None]", given)
    except (AttributeError, TypeError, ValueError):
        pass
    raise ConfigError(
        _(
            "FOCUSCRAWL_FEATURES = {value!r}: write features with their places, ours stand at"
            ' 100, 200, …, as in {{"mine.Prices": 500, "focuscrawl.forums.Forums": None}} (in'
            " the environment as JSON)"
        ).format(value=value)
    )


def own_contact(settings: SettingsReader, environment: Mapping[str, str]) -> str:
    """Return FOCUSCRAWL_CONTACT, where site owners reach the crawl's operator; "" where it is not set."""
    return str(_setting(settings, environment, "FOCUSCRAWL_CONTACT") or "").strip()


def _inline_folders(
    settings: SettingsReader, environment: Mapping[str, str], project_dir: Path | None
) -> tuple[Path, ...]:
    """Return where inline templates may read and write."""
    base = project_dir or Path.cwd()
    data = _data_dir(_setting(settings, environment, "FOCUSCRAWL_DATA_DIR"), project_dir)
    more = _texts(_setting(settings, environment, "FOCUSCRAWL_INLINE_FOLDERS") or ())
    return (
        *topics_folders(settings, environment, project_dir),
        data,
        *(base / Path(folder).expanduser() for folder in more),
    )


def environment_in_use(
    settings: SettingsReader, environment: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the environment as the rules of templates look at it: the mail server may be a setting."""
    name = "FOCUSCRAWL_SMTP"
    value = _setting(settings, environment, name)
    return {**environment, name: str(value)} if value else environment


def _setting(settings: SettingsReader, environment: Mapping[str, str], name: str) -> Any:
    by_command_line = (settings.getpriority(name) or 0) >= COMMAND_LINE_PRIORITY
    if not by_command_line and name in environment:
        return environment[name]
    return settings.get(name)


def _data_dir(value: Any, project_dir: Path | None) -> Path:
    if value:
        return ((project_dir or Path.cwd()) / Path(str(value)).expanduser()).absolute()
    if project_dir is None:
        raise ConfigError(
            _(
                "FOCUSCRAWL_DATA_DIR is not set: outside a project folder (no scrapy.cfg here or"
                " above) set it to a folder that outlives this job, e.g."
                " FOCUSCRAWL_DATA_DIR=/var/lib/crawls"
            )
        )
    return project_dir / "crawls"


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [str(part) for part in value]


def _truth(value: Any, name: str) -> bool:
    if value in (None, ""):
        return False
    text = str(value).lower()
    if text not in {"true", "1", "false", "0"}:
        raise ConfigError(
            _("{name} = {value!r}: write true or false").format(name=name, value=value)
        )
    return text in {"true", "1"}


def _networks(value: Any) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(text, strict=False) for text in _texts(value))
    except ValueError as error:
        raise ConfigError(
            _(
                "FOCUSCRAWL_PRIVATE = {value!r}: write networks such as 127.0.0.0/8,10.0.0.0/8"
                " ({error})"
            ).format(value=value, error=error)
        ) from error


def _synchronous(value: str) -> str:
    if value.upper() not in {"NORMAL", "FULL"}:
        raise ConfigError(
            _("FOCUSCRAWL_SYNCHRONOUS = {value!r}: write NORMAL or FULL").format(value=value)
        )
    return value.upper()


def _near_duplicates(value: str) -> str:
    if value not in NEAR_DUPLICATES:
        allowed = ", ".join(NEAR_DUPLICATES)
        raise ConfigError(
            _("FOCUSCRAWL_NEAR_DUPLICATES = {value!r}: write one of {allowed}").format(
                value=value, allowed=allowed
            )
        )
    return value


def _fields(value: Any) -> dict[str, str]:
    """Read names of fields: a dictionary, or ``text=body, key=link``."""
    pairs = value if isinstance(value, Mapping) else dict(_pair(text) for text in _texts(value))
    wrong = [role for role in pairs if role not in NEAR_DUPLICATE_FIELDS or not pairs[role]]
    if wrong:
        allowed = ", ".join(f"{role}=FIELD" for role in NEAR_DUPLICATE_FIELDS)
        raise ConfigError(
            _(
                "FOCUSCRAWL_NEAR_DUPLICATE_FIELDS: {role!r} = {field!r} names no field of your"
                " items; write some of {allowed}"
            ).format(role=wrong[0], field=pairs[wrong[0]], allowed=allowed)
        )
    return NEAR_DUPLICATE_FIELDS | {role: str(field) for role, field in pairs.items()}


def _pair(text: str) -> tuple[str, str]:
    role, _sign, field = text.partition("=")
    return role.strip(), field.strip()


def _clock(path: str) -> Clock:
    if not path:
        return SystemClock()
    module, _colon, name = path.partition(":")
    try:
        return cast(Clock, getattr(importlib.import_module(module), name))
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            _(
                "FOCUSCRAWL_CLOCK = {path!r}: write module:object, an object with wall() and"
                " steady() ({error})"
            ).format(path=path, error=error)
        ) from error
