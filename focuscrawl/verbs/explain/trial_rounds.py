"""Rounds of a trial: each is a crawl of chosen addresses into a store that is thrown away, and follows nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.relevance.scores import LinkScorer
from focuscrawl.template.merge import resolve
from focuscrawl.values import Json, PageClass
from focuscrawl.verbs.explain.list_links import ListLink, links_shown
from focuscrawl.verbs.proposals import answer_of, answers_in, answers_kept_in
from focuscrawl.verbs.trial import TRIED_PAGES, crawl_into, placed, written

if TYPE_CHECKING:
    from focuscrawl.template.load import LoadedTemplate

_HEADLINE = 8
"""Characters from which on the text of a link is rather a headline than a place in a menu."""


class ChosenLink(NamedTuple):
    """An address of a round, and the number of the source that has led to it."""

    url: str
    source: int


@dataclass(slots=True)
class TrialRounds:
    """A trial under way; ``now`` is wall time, ``chosen`` are all addresses so far."""

    loaded: LoadedTemplate
    folder: Path
    now: float
    chosen: dict[str, int] = field(default_factory=dict)
    number: int = 0

    @property
    def database(self) -> Path:
        """Where the results of all rounds are; it may not be there yet."""
        return self.folder / f"{self.loaded.template.name}.db"

    @property
    def answers(self) -> Path:
        """The folder in which answers are kept."""
        return self.folder / "answers"

    def crawl(self, choices: Sequence[ChosenLink], *, as_named: bool) -> int:
        """Crawl addresses, each as its source says, and return the exit status; ``as_named``: as what the source is,
        too.
        """
        self.chosen |= {choice.url: choice.source for choice in choices}
        self.number += 1
        loaded = self.loaded
        tree = resolve(loaded.merged, loaded.template.name)  # with the passwords of proxies
        urls: defaultdict[int, list[str]] = defaultdict(list)
        for choice in choices:
            urls[choice.source].append(choice.url)
        tree["source"] = [
            {**tree["source"][number], "urls": some}
            | ({} if as_named else {"kind": "auto", "level": None})
            for number, some in urls.items()
        ]
        tree["follow"] |= {"depth": 0, "paging": "none"}
        tree["revisit"] = {"policy": "off"}
        tree["article"]["keep"] = "all"  # its words judge it later, with the reasons
        return self._crawl_by(tree, ())

    def follow(self, urls: Sequence[str], arguments: Sequence[str]) -> int:
        """Crawl some results of a search as the topic would, or go on with them; return the exit status."""
        followed = set(urls) <= self.chosen.keys()
        if not followed:
            self.chosen |= dict.fromkeys(urls, 0)
            self.folder /= f"followed{self.number}"
            self.folder.mkdir()
        self.number += 1
        tree = resolve(self.loaded.merged, self.loaded.template.name)
        tree["source"], tree["search"] = [{"urls": [*urls]}], {}
        return self._crawl_by(tree, (f"limits.pages={TRIED_PAGES}", *arguments))

    def _crawl_by(self, tree: Json, arguments: Sequence[str]) -> int:
        """Crawl by a template of plain values, which writes no file of its topic."""
        loaded = self.loaded
        tree["output"] = {}
        folder = loaded.template.path.parent if loaded.template.path else Path()
        template = self.folder / f"{loaded.template.name}.toml"
        template.write_text(written(placed(tree, folder.absolute())), "utf-8")
        return crawl_into(self.folder, str(template), arguments, answers_kept_in(self.answers))

    def rules(self) -> AdmissionRules:
        """Return the rules by which links are ranked."""
        return AdmissionRules.from_template(self.loaded.template, self.now)

    def links_on(self, urls: Sequence[str]) -> dict[str, list[ListLink]]:
        """Return the links of lists that were read, by their addresses."""
        kept = answers_in(self.answers)
        found = {}
        for url in urls:
            if url in kept and (answer := answer_of(url, kept[url])):
                found[url] = [*links_shown(answer, self.loaded)]
        return found

    def ranked(
        self, links: Sequence[ListLink], source: int, rules: AdmissionRules
    ) -> Iterator[ChosenLink]:
        """Go through the links of a list that were not chosen yet, the likeliest article first."""
        scorer = self.loaded.template.once(LinkScorer.of)
        found: dict[str, tuple[bool, bool, float, int]] = {}
        for place, link in enumerate(links):
            look = rules.look(link.url)
            if look.refused_page or link.nofollow or look.address.url in self.chosen:
                continue
            is_article = look.page_class is PageClass.ARTICLE
            is_likely = is_article or len(link.text) >= _HEADLINE
            is_list = look.page_class is PageClass.BOARD
            score = scorer.link_score(link.text, look.address.url)
            rank = (is_list, not is_likely, -score, place)
            before = found.get(look.address.url)
            found[look.address.url] = min(before, rank) if before else rank
        yield from (ChosenLink(url, source) for url in sorted(found, key=found.__getitem__))
