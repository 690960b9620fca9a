"""Why a search engine's answer holds no results: it knows none, it refuses, or it is no answer.

Only a page that says so counts as "nothing known", and not even that when headings link elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import cast

from lxml import etree

from focuscrawl.pages.document import Document
from focuscrawl.pages.redirects import behind, host_of_url, on_site_of
from focuscrawl.search.page_format import Answered, EngineFormat
from focuscrawl.values import SearchAnswer, SearchStatus, Selector

CHALLENGE = re.compile(
    r"captcha|antispider|anti-?bot|cf-turnstile|challenges\.cloudflare|geetest|wappass|mkdjump"
    r"|/sorry/",
    re.IGNORECASE,
)
FIND_MARKED = etree.XPath("//*[@id or @class or @src or @action][not(self::body)]")
FIND_TITLED = etree.XPath("//a[ancestor::h2 or ancestor::h3 or ancestor::h4]/@href")
UNSEEN = frozenset({"script", "style", "noscript", "template", "head", "textarea"})
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
MANY_TITLED = 5
"""So many headings that link elsewhere look like results, whatever the page says."""


def why_none(
    document: Document,
    answered: Answered,
    engine: EngineFormat,
    titled: Collection[str],
    *,
    found: int,
    organic: int,
) -> SearchAnswer:
    """Judge a page without a single result that leads somewhere.

    ``titled`` is where its headings lead, ``found`` how many elements looked like results,
    ``organic`` how many of them are no advertisements.
    """
    seen = without(answered.query, visible_text(document))
    if words := engine.blocked.count(seen):
        return refused_answer(words)
    if not on_site_of(host_of_url(answered.url), {engine.host}):
        return SearchAnswer(SearchStatus.BLOCKED, reason=f"led to {answered.url[:200]}")
    full = organic > 0 or len(titled) >= MANY_TITLED
    if not full and (words := engine.empty.count(seen)):
        return SearchAnswer(SearchStatus.EMPTY, reason=next(iter(words)))
    if not full and (mark := _challenge(document)):
        return SearchAnswer(SearchStatus.BLOCKED, reason=f"a challenge ({mark})")
    if organic:
        return misfit("link", engine.link, f" in {organic} results")
    if found:
        return SearchAnswer(SearchStatus.UNREADABLE, reason=f"{found} advertisements only")
    return misfit("results", engine.results, f' on "{document.title[:60]}"')


def titled_links(
    document: Document, join: Callable[[str], str | None], hosts: Collection[str]
) -> set[str]:
    """Return where headings of a page lead, other than to the engine's own pages."""
    joined = filter(None, map(join, cast("list[str]", FIND_TITLED(document.root))))
    return {found.url for url in joined if (found := behind(url, hosts))}


def refused_answer(words: dict[str, int]) -> SearchAnswer:
    """Return the answer for a page with words of a refusal."""
    return SearchAnswer(SearchStatus.BLOCKED, reason=f"the answer says {next(iter(words))}")


def misfit(key: str, selector: Selector, where: str) -> SearchAnswer:
    """Return the answer for a selector that finds nothing where something should be."""
    written = f"{selector.language}:{selector.expression}"
    reason = f"no word that there are no results, but {key} = {written} finds none{where}"
    return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)


def visible_text(document: Document) -> str:
    """Return the title and what a reader sees of a page."""
    parts = [document.title]
    walker = etree.iterwalk(document.root, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            parts.append(element.tail or "")
        elif element.tag in UNSEEN or _HIDDEN.search(element.get("style", "")):
            walker.skip_subtree()
        else:
            parts.append(element.text or "")
    return " ".join(" ".join(parts).split())


def without(query: str, text: str) -> str:
    """Take out what was asked for: a page that repeats 验证码 is no captcha for that."""
    for word in sorted(set(query.split()), key=len, reverse=True):
        text = text.replace(word, " ")
    return text


def _challenge(document: Document) -> str:
    """Return what in the markup belongs to a captcha, or ""."""
    for element in cast("list[etree._Element]", FIND_MARKED(document.root)):
        for name in ("id", "class", "src", "action"):
            if found := CHALLENGE.search(element.get(name, "")):
                return found[0]
    return ""
