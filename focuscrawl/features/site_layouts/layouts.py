"""What stands around the texts of one layout of a site's pages, counted by place.

A place is the site's when it lies around the text on a share of the layout's pages, between the sentences of none, and says
few things on many: names of sections, tags and authors come again, a recipe's list of what it takes never does. What is cut
is a line there that says no number, or says what other pages say: a telephone number that one page changes is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import msgspec

from focuscrawl.features.site_layouts.text_edges import NO_EDGES, PlacedLine, TextEdges
from focuscrawl.readers.text.lines import line_number
from focuscrawl.values import CUT_AT_BITS, CutLines

PAGES_OF_PLACE, SHARE_OF_PAGES = 3, 0.3
"""Pages of a layout that show lines at a place, and their share, for the place to be the site's."""

MOST_SAID_ONCE = 0.25
"""Share of what is said at a place that one page alone has said: how likely the next page says something new there (Good
and Turing). Of nine sections of a blog it is less from some twelve pages on."""

PAGES_LOOKED_AT = 40
"""Pages of a layout whose surroundings are looked at in any case."""

MOST_LINES_A_PAGE = 4  # in the mean: more are a list of the article's own
SAME_LAYOUT = 12
"""Bits by which structures of pages of one layout differ at most, of 64."""

FEWEST_REDESIGNED, SHARE_REDESIGNED = 5, 1 / 3
"""Pages that are built otherwise than at their last visit, and their share of those visited since the first of them, for
their site to have a new design. Lists count, too, which are visited more often than articles: of ten sites of 70 posts
five visited less than five articles within three days."""

ARTICLES_REDESIGNED, MOST_LISTS = 2, 64
"""Articles among them at least, and lists of a site whose structures are remembered: some lists change theirs with what
they show."""

MOST_ENDS_KEPT = 64
"""Stored texts of a layout whose ends are kept: 40 pages teach what nine sections are."""

MOST_LAYOUTS, MOST_PAGES, MOST_PLACES, MOST_WORDS = 4, 256, 32, 40
"""What is remembered of a site: layouts, pages of each that count, places, and words of each."""

MOST_EXAMPLES_KEPT, LONGEST_EXAMPLE = 12, 60
"""Places of a layout of which one line is kept as it stands, for people, and its characters: they may add 11.7 kB of
MessagePack to a site, where all 48 have characters of four bytes."""

FEWEST_SAID = 2
"""Pages that have said each piece of a line that is kept for people: one page's own section is no example."""


class LinePlace(msgspec.Struct, array_like=True):
    """A place: pages around whose text it showed lines, and ``inside`` whose text; ``shown`` lines in all.

    ``words`` has pages by the number of what a line says, ``example`` is one line for people: nothing is decided by it,
    and what earlier runs have stored has none.
    """

    pages: int = 0
    inside: int = 0
    shown: int = 0
    words: dict[int, int] = {}
    example: str = ""

    @property
    def seen(self) -> int:
        """How many pages have shown something there."""
        return self.pages + self.inside

    def note(self, lines: Iterable[PlacedLine]) -> None:
        """Count what one page shows."""
        self.pages += 1
        said: set[int] = set()
        for line in lines:
            self.shown += 1
            said.update(map(line_number, line.words))
        for word in said:
            self.words[word] = self.words.get(word, 0) + 1
        while len(self.words) > MOST_WORDS:
            del self.words[min(self.words, key=lambda one: self.words[one])]

    def said_of(self, line: PlacedLine) -> int:
        """Return how many pages have said the piece of a line that the fewest have said; 0 for a page's own title alone."""
        return min((self.words.get(line_number(one), 0) for one in line.words if one), default=0)

    def is_of_site(self, pages: int) -> bool:
        """Whether what stands there is the site's, of whose layout so many pages were seen."""
        if self.inside or self.pages < max(PAGES_OF_PLACE, SHARE_OF_PAGES * pages):
            return False
        said_once = sum(1 for count in self.words.values() if count == 1)
        said = sum(self.words.values())
        return said_once <= MOST_SAID_ONCE * said and self.shown <= MOST_LINES_A_PAGE * self.pages


class EndLine(NamedTuple):
    """A line at an end of a stored text: its place and number, and those of its words if it has a number in it."""

    place: int
    number: int
    words: tuple[int, ...]


class Ends(NamedTuple):
    """The ends of a stored text, the outermost lines first."""

    before: tuple[EndLine, ...] = ()
    behind: tuple[EndLine, ...] = ()


def _example_of(text: str) -> str:
    """Return the beginning of a line as people may read it: a page may hold what moves a terminal's cursor."""
    line = " ".join(text.split())
    return "".join(one for one in line[:LONGEST_EXAMPLE] if one.isprintable())


def _end_line(line: PlacedLine) -> EndLine:
    words = tuple(map(line_number, line.words)) if line.has_number else ()
    return EndLine(line.place, line_number(line.text), words)


class Layout(msgspec.Struct, array_like=True):
    """Pages built alike: their ``structure``, which pages have counted, and the places around their texts.

    ``came`` are pages that were built otherwise before, ``stayed`` visits of pages that still are; ``is_told``: it was told
    as the site's new design, at ``told_at`` (wall time; 0: not, or by an earlier version). ``looked`` are pages whose surroundings were looked at. ``kept`` are
    the ends of texts that are stored, by key, until these places are known.
    """

    structure: int
    pages: list[int] = []
    places: dict[int, LinePlace] = {}
    came: list[int] = []
    stayed: int = 0
    is_told: bool = False
    looked: int = 0
    kept: dict[str, Ends] = {}
    told_at: float = 0.0

    def note(self, page: int, edges: TextEdges) -> bool:
        """Count a page once, by its number; False: it has counted, or enough have."""
        if page in self.pages or len(self.pages) >= MOST_PAGES:
            return False
        self.pages.append(page)
        if edges is NO_EDGES and self.is_taught:
            return True
        self.looked += 1
        around: dict[int, set[PlacedLine]] = {}
        for line in (*edges.before, *edges.behind, *edges.around):
            if line.place:
                around.setdefault(line.place, set()).add(line)
        for place in edges.inside - around.keys():
            self._place(place).inside += 1
        for place, lines in around.items():
            self._place(place).note(lines)
        while len(self.places) > MOST_PLACES:
            del self.places[min(self.places, key=lambda one: self.places[one].seen)]
        return True

    def keep_examples(self, edges: TextEdges, of_site: Collection[int]) -> None:
        """Keep of a page that has just counted a line for each place of the site without one, of the places that most
        pages show.
        """
        often = sorted(of_site, key=lambda at: (-self.places[at].pages, at))[:MOST_EXAMPLES_KEPT]
        for at, place in self.places.items():
            if place.example and at not in often:
                place.example = ""
        lacking = {at for at in often if not self.places[at].example}
        if not lacking:
            return
        # Sorted: the same pages leave the same examples in each process.
        lines = (*edges.before, *edges.behind, *edges.around)
        for line in sorted(one for one in lines if one.place in lacking):
            known = self.places[line.place]
            if not known.example and known.said_of(line) >= FEWEST_SAID:
                known.example = _example_of(line.text)

    @property
    def is_taught(self) -> bool:
        """Whether so many pages were seen that further ones are looked at only where a text has such lines."""
        return self.looked >= PAGES_LOOKED_AT

    def _place(self, number: int) -> LinePlace:
        return self.places.setdefault(number, LinePlace())

    def is_of_site(self, line: EndLine) -> bool:
        """Whether a line at an end of a text is the site's."""
        place = self.places.get(line.place)
        if place is None or not place.is_of_site(self.looked):
            return False
        return all(place.words.get(word, 0) >= PAGES_OF_PLACE for word in line.words)

    def keep(self, key: str, edges: TextEdges) -> None:
        """Keep the ends of a text that is stored, until its lines are known to be the site's."""
        self.kept.pop(key, None)
        if edges.before or edges.behind:
            self.kept[key] = ends_of(edges)
        if len(self.kept) > MOST_ENDS_KEPT:
            del self.kept[next(iter(self.kept))]

    def corrections(self) -> dict[str, CutLines]:
        """Return what is to be cut from stored texts by now, which is given once."""
        found: dict[str, CutLines] = {}
        for key, (before, behind) in [*self.kept.items()]:
            first, last = count_of_site(before, self), count_of_site(behind, self)
            if first or last:
                cut = [
                    tuple(one.number for one in some) for some in (before[:first], behind[:last])
                ]
                found[key] = cut[0], cut[1]
                self.kept[key] = Ends(before[first:], behind[last:])
                if not any(self.kept[key]):
                    del self.kept[key]
        if self.is_taught:
            self.kept.clear()
        return found

    def places_of_site(self) -> frozenset[int]:
        """Return the places whose lines are the site's."""
        return frozenset(at for at, place in self.places.items() if place.is_of_site(self.looked))


class SiteLayouts(msgspec.Struct, array_like=True):
    """The layouts of one site, those that were seen last behind the others.

    ``lists`` are structures of its lists, by number, ``moved`` lists that are built otherwise than at their last visit, and
    ``unmoved`` visits of lists that are not, since the first of them.
    """

    layouts: list[Layout] = []
    lists: dict[int, int] = {}
    moved: list[int] = []
    unmoved: int = 0

    def note_list(self, page: int, structure: int) -> None:
        """Count a list, if it was seen before: whether it is built otherwise now."""
        before = self.lists.pop(page, None)
        self.lists[page] = structure
        if len(self.lists) > MOST_LISTS:
            del self.lists[next(iter(self.lists))]
        if before is None:
            return
        if (before ^ structure).bit_count() > SAME_LAYOUT:
            self.moved = [*{*self.moved, page}]
        else:
            self.unmoved += bool(self.moved)

    def is_new_design(self, layout: Layout) -> bool:
        """Whether pages of the site are shown in a layout that were shown otherwise, and it was not told yet."""
        came, stayed = len(layout.came) + len(self.moved), layout.stayed + self.unmoved
        is_seen = came >= FEWEST_REDESIGNED and len(layout.came) >= ARTICLES_REDESIGNED
        return not layout.is_told and is_seen and came >= SHARE_REDESIGNED * (came + stayed)

    def forget_moved(self) -> None:
        """Forget what lists have shown of a design that was told: it says nothing of the next."""
        self.moved, self.unmoved = [], 0

    def note_visit(self, page: int, layout: Layout) -> None:
        """Count a page that shows a layout, if it was seen before: whether it showed another one then."""
        others = [one for one in self.layouts if one is not layout]
        if page in layout.pages:
            for one in others:
                one.stayed += bool(one.came)
        elif len(layout.came) < MOST_PAGES and any(page in one.pages for one in others):
            layout.came.append(page)

    def layout_of(self, structure: int) -> Layout:
        """Return the layout of a page, made when no page like it was seen; the one not seen for longest goes."""
        for layout in self.layouts:
            if (layout.structure ^ structure).bit_count() <= SAME_LAYOUT:
                if layout is not self.layouts[-1]:
                    self.layouts.remove(layout)
                    self.layouts.append(layout)
                return layout
        layout = Layout(structure)
        self.layouts.append(layout)
        del self.layouts[:-MOST_LAYOUTS]
        return layout


class CutText(NamedTuple):
    """A text without what its site repeats: what stood before and behind it, and what is left at its ends.

    ``places`` are those of what was cut, each once, as CUT_AT has them.
    """

    text: str
    before: tuple[str, ...]
    behind: tuple[str, ...]
    rest: TextEdges
    places: tuple[int, ...] = ()


def cut_text(text: str, edges: TextEdges, layout: Layout) -> CutText:
    """Cut from the ends of a text the lines that are the site's, up to the first that is not."""
    ends = ends_of(edges)
    before, behind = count_of_site(ends.before, layout), count_of_site(ends.behind, layout)
    if not before and not behind:
        return CutText(text, (), (), edges)
    lines = text.split("\n")
    end = len(lines) - behind
    rest = edges._replace(
        before=edges.before[before:], behind=edges.behind[: len(edges.behind) - behind]
    )
    left = rest if rest.before or rest.behind else NO_EDGES
    text = "\n".join(lines[before:end])
    lines_cut = (*edges.before[:before], *edges.behind[len(edges.behind) - behind :])
    places = dict.fromkeys(short_place(one.place) for one in lines_cut)
    return CutText(text, tuple(lines[:before]), tuple(lines[end:]), left, (*places,))


def short_place(place: int) -> int:
    """Return the number of a place as the state of a page has it (CUT_AT)."""
    return place & ((1 << CUT_AT_BITS) - 1)


def ends_of(edges: TextEdges) -> Ends:
    """Return the ends of a text as they are kept."""
    before, behind = map(_end_line, edges.before), map(_end_line, reversed(edges.behind))
    return Ends((*before,), (*behind,))


def count_of_site(lines: Sequence[EndLine], layout: Layout) -> int:
    """Return how many lines from the outermost on are the site's."""
    for count, line in enumerate(lines):
        if not layout.is_of_site(line):
            return count
    return len(lines)
