"""``scrapy topic try``, and what ``score`` fetches: crawls into a store that is thrown away."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from focuscrawl.report.explained import FetchedPage, fetched_pages, tried_text
from focuscrawl.template.load import LoadedTemplate, is_inline
from focuscrawl.template.merge import resolve
from focuscrawl.template.secrets import FILE
from focuscrawl.template.toml import toml_key, toml_text
from focuscrawl.values import Json
from focuscrawl.verbs.call import Call, CannotDo

TRIED_PAGES = 10
"""Pages of a trial when nothing else is said."""

_SITE_KEYS = frozenset(("skip", "aliases", "encoding", "politeness", "request", "url", "select"))
"""What of [site."HOST"] says how pages are fetched and read, not what becomes of them."""


NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


def try_out(call: Call, args: Sequence[str]) -> str:
    """Read a few pages, and explain each."""
    loaded = call.loaded(args, secrets=True)
    source = args[0] if is_inline(args[0]) else str(loaded.template.path)
    arguments = [f"limits.pages={TRIED_PAGES}", *call.options.arguments]
    with tempfile.TemporaryDirectory(prefix="focuscrawl-try-") as folder:
        status = crawl_into(Path(folder), source, arguments)
        database = Path(folder) / f"{loaded.template.name}.db"
        if not database.exists():
            raise CannotDo(f"the trial crawl did not begin (exit status {status})")
        return tried_text(database, loaded.template.topic.timezone)


def crawl_into(
    folder: Path, template: str, arguments: Sequence[str], settings: Mapping[str, str] = NO_SETTINGS
) -> int:
    """Crawl a template in a process of its own, its data in ``folder``; return the exit status."""
    options = {
        "FOCUSCRAWL_DATA_DIR": str(folder),
        "FOCUSCRAWL_RESULTS": "",
        "FOCUSCRAWL_LINGER": "5s",
        "FEEDS": "{}",
        "LOG_LEVEL": "CRITICAL",
        **settings,
    }
    words = [sys.executable, "-m", "scrapy", "crawl", "topic", "-a", f"template={template}"]
    words += [word for argument in arguments for word in ("-a", argument)]
    words += [word for name, value in options.items() for word in ("-s", f"{name}={value}")]
    return subprocess.run(words, check=False).returncode


def fetch(loaded: LoadedTemplate, urls: Sequence[str], folder: Path) -> list[FetchedPage]:
    """Fetch addresses as the topic would (robots.txt, pauses, proxy, cookies), and read each.

    What the topic looks for plays no part: every page that has a text has it here, and the class a
    crawl would take it for. Lists are read a second time as articles are, from what came the first.
    """
    answers = {"HTTPCACHE_ENABLED": "True", "HTTPCACHE_DIR": str(folder / "answers")}
    pages = _crawled(loaded, urls, folder / "found", "auto", answers)
    lists = [page.url for page in pages if page.text is None and page.is_read]
    if not lists:
        return pages
    texts = {
        page.url: page for page in _crawled(loaded, lists, folder / "read", "article", answers)
    }
    return [texts.get(page.url, page)._replace(page_class=page.page_class) for page in pages]


def _crawled(
    loaded: LoadedTemplate,
    urls: Sequence[str],
    folder: Path,
    kind: str,
    settings: Mapping[str, str],
) -> list[FetchedPage]:
    """Fetch addresses as sources of a kind into a folder of their own."""
    folder.mkdir()
    name = loaded.template.name
    template = folder / f"{name}.toml"
    template.write_text(_written(_fetching(loaded, urls, kind)), "utf-8")
    status = crawl_into(folder, str(template), (), settings)
    database = folder / f"{name}.db"
    if not database.exists():
        raise CannotDo(f"the crawl of {len(urls)} addresses did not begin (exit status {status})")
    return fetched_pages(database)


def _fetching(loaded: LoadedTemplate, urls: Sequence[str], kind: str) -> Json:
    """Return a template that fetches addresses, follows nothing and keeps every text."""
    resolved = resolve(loaded.merged, loaded.template.name)  # with the passwords of proxies
    folder = loaded.template.path.parent if loaded.template.path else Path()
    topic = {key: resolved["topic"][key] for key in ("name", "language", "timezone")}
    polite = {key: value for key, value in resolved["politeness"].items() if key != "hours"}
    sites = {
        host: {key: value for key, value in site.items() if key in _SITE_KEYS}
        for host, site in resolved["site"].items()
    }
    for site in sites.values():
        site["politeness"] = {**site.get("politeness", {})}
        site["politeness"].pop("hours", None)
    classes = (
        {key: resolved["follow"][key] for key in ("boards", "articles")} if kind == "auto" else {}
    )
    tree: Json = {
        "topic": topic,
        "source": [{"urls": list(urls), "kind": kind, "relevant": "all"}],
        "follow": {"scope": "sources", "depth": 0, **classes},
        "url": resolved["url"],
        "article": {"keep": "all", "min_length": 0},
        "politeness": polite,
        "request": resolved["request"],
        "limits": {"pages": len(urls), "body": resolved["limits"]["body"]},
        "site": sites,
        "settings": resolved["settings"],
    }
    return _placed(tree, folder.absolute())


def _placed(plain: Json, folder: Path) -> Json:
    """Drop what is not given, and give files with secrets their whole path."""

    def placed(value: object) -> object:
        if isinstance(value, dict):
            return {name: placed(one) for name, one in value.items() if one is not None}
        if isinstance(value, list):
            return [placed(one) for one in value]
        if isinstance(value, str) and value.startswith(FILE):
            return f"{FILE}{folder / Path(value.removeprefix(FILE)).expanduser()}"
        return value

    return {name: placed(value) for name, value in plain.items()}


def _written(tree: Json) -> str:
    lines: Iterable[str] = (f"{toml_key(name)} = {toml_text(one)}" for name, one in tree.items())
    return "\n".join(lines) + "\n"
