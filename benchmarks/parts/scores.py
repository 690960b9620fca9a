"""How a reader's answers are compared with labels: figures, and a line for every miss.

Text: F1 of runs of four words (Chinese: characters), of mean precision and recall. A value is right,
wrong (another one is printed) or made up (none is printed). Labels name in ``accept`` what is no error.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from benchmarks.parts.labelled import day, precision_and_recall

CHINA = timezone(timedelta(hours=8))
CLOSE = 600  # seconds between two times that are the same: pages print when they were shown, too
FIELDS = ("name", "address", "phone", "fax", "email", "zip", "url", "qq")
_IN_DIGITS = ("phone", "fax", "zip", "qq")
_HONEST = ("no results", "empty", "0 results", "none")  # in a label's note: an answer without rows
_MORE_OF_NAMES = 6  # characters beside the names in an author's line: 记者, 文/


def plain(text: str | None) -> str:
    """Return letters and digits, to compare what two spellings have in common."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text or "").lower())


@dataclass(slots=True)
class Score:
    """What is counted over a set: ``count`` by name, ``texts`` precision and recall of its pages, ``words`` F1 of their
    words by the type of the page, ``misses`` a line each: page, what, what was found and what is printed.
    """

    count: Counter[str] = field(default_factory=Counter)
    texts: list[tuple[float, float]] = field(default_factory=list)
    words: dict[str, list[float]] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)

    def tell(self, name: str, what: str, got: object, want: object) -> None:
        self.misses.append(f"{name}: {what}: found {got!r}, printed {want!r}")

    def note(self, name: str, what: str, *, good: bool, got: object, want: object) -> None:
        """Count a value that is printed."""
        self.count[f"{what}s"] += 1
        self.count[f"{what}_right"] += good
        if not good:
            self.tell(name, what, got, want)

    def figures(self) -> dict[str, Any]:
        """Return F1 of the texts, and each value as right of all."""
        found: dict[str, Any] = {}
        if self.texts:
            precision, recall = (statistics.mean(one[at] for one in self.texts) for at in (0, 1))
            found["f1"] = round(f1_of(precision, recall), 4)
            found["under_half"] = sum(f1_of(*one) < 0.5 for one in self.texts)
        if self.words:
            found["f1"] = round(
                statistics.mean(one for many in self.words.values() for one in many), 4
            )
            found |= {name: round(statistics.mean(many), 4) for name, many in self.words.items()}
        if hits := self.count["right"]:
            errors = self.count["missed"] + self.count["extra"]
            found["f1"] = round(2 * hits / (2 * hits + errors), 4)
        return found | dict(sorted(self.count.items()))


def f1_of(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def score_article(
    score: Score, name: str, label: Mapping[str, Any], got: Mapping[str, str]
) -> None:
    """Compare an article: text, and what the label says of title, published, author, source.

    A label without a key says nothing of it; None says that the page prints none.
    """
    text, accept = got.get("text", ""), label.get("accept", {})
    if "text" in label:
        pair = precision_and_recall(label["text"], text, chinese=label["chinese"])
        score.texts.append(pair)
        if min(pair) < 0.9:
            score.misses.append(f"{name}: text: precision {pair[0]:.2f}, recall {pair[1]:.2f}")
    if label.get("title"):
        allowed = {plain(one) for one in (label["title"], *accept.get("title", ()))}
        title = got.get("title", "")
        score.note(name, "title", good=plain(title) in allowed, got=title, want=label["title"])
    if "published" in label:
        _score_date(score, name, label, got.get("date", ""))
    for what in ("author", "source"):
        if what in label:
            _score_name(score, name, what, label[what], got.get(what, ""), accept.get(what, ()))


def _score_date(score: Score, name: str, label: Mapping[str, Any], got: str) -> None:
    also = label.get("accept", {}).get("published", ())
    times = [one for one in (label["published"], *also) if one]
    days = {day(one) for one in times}
    if not label["published"]:
        made_up = day(got) is not None and day(got) not in days
        score.count["undated"] += 1
        score.count["date_made_up"] += made_up
        if made_up:
            score.tell(name, "date made up", got, None)
        return
    score.note(name, "date", good=day(got) in days, got=got, want=label["published"])
    if len(label["published"]) > 10:
        good = any(_is_close(one, got) for one in times if len(one) > 10)
        score.note(name, "minute", good=good, got=got, want=label["published"])


def _is_close(printed: str, got: str) -> bool:
    try:
        one, other = (datetime.fromisoformat(text) for text in (printed, got))
    except ValueError:
        return False
    other = other.astimezone(CHINA).replace(tzinfo=None) if other.tzinfo else other
    return len(got) > 10 and abs((one - other).total_seconds()) <= CLOSE


def _score_name(
    score: Score, name: str, what: str, want: str | None, got: str, also: Iterable[str]
) -> None:
    key, allowed = plain(got), {plain(one) for one in also}
    is_allowed = any(one in key for one in allowed)
    if not want:
        score.count[f"{what}_made_up"] += bool(key) and not is_allowed
        if key and not is_allowed:
            score.tell(name, f"{what} made up", got, None)
        return
    names = [plain(one) for one in want.split()] if what == "author" else [plain(want)]
    is_short = len(key) <= len("".join(names)) + _MORE_OF_NAMES or key in allowed
    right = bool(key) and all(one in key for one in names) and is_short
    right = right or (what == "source" and key in allowed)
    wrong = bool(key) and not right and not is_allowed and not any(one in key for one in names)
    score.note(name, what, good=right, got=got, want=want)
    score.count[f"{what}_wrong"] += wrong


def _values(record: Mapping[str, Any], name: str) -> list[str]:
    value = record.get(name)
    return (
        list(map(str, value)) if isinstance(value, list | tuple) else [str(value)] if value else []
    )


def _key(name: str, text: str) -> str:
    if name in _IN_DIGITS:
        digits = re.sub(r"\D", "", unicodedata.normalize("NFKC", text))
        return re.sub(r"^(0086|86)(?=\d{10})", "", digits).lstrip("0")
    if name == "url":
        return re.sub(r"^https?://|/$", "", text.strip().lower())
    return plain(text)


def _told(record: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(f, key) for f in FIELDS for value in _values(record, f) if (key := _key(f, value))}


def score_records(
    score: Score, name: str, label: Mapping[str, Any], found: list[dict[str, Any]]
) -> None:
    """Compare records: values of the page, and of pages with several whether each is whole."""
    accept = {_key(f, one) for one in label.get("accept", ()) for f in FIELDS}
    gold, got = list(map(_told, label["records"])), list(map(_told, found))
    want, read = set[tuple[str, str]]().union(*gold), set[tuple[str, str]]().union(*got)
    extra = {one for one in read - want if one[1] not in accept}
    score.count["right"] += len(want & read)
    score.count["missed"] += len(want - read)
    score.count["extra"] += len(extra)
    score.misses += [f"{name}: missed {f} {value}" for f, value in sorted(want - read)]
    score.misses += [f"{name}: extra {f} {value}" for f, value in sorted(extra)]
    if len(gold) > 1:
        score.count["several"] += 1
        score.count["several_counted"] += len(found) == len(gold)
        told = [one - {value for value in one - want if value[1] in accept} for one in got]
        score.count["several_whole"] += all(one in told for one in gold)


def score_answer(
    score: Score, name: str, label: Mapping[str, Any], got: Mapping[str, Any] | None
) -> None:
    """Compare a page of results; None for an engine that has no reader."""
    results, note = label.get("results", []), label.get("note", "").lower()
    listed = [one for one in results if one["kind"] != "ad"]
    honest = any(word in note for word in _HONEST)
    truth = (
        {"results"}
        if listed
        else {"blocked", "empty"}
        if "lists none" in note
        else {"empty"}
        if honest
        else {"blocked"}
    )
    score.count["pages"] += 1
    if got is None:
        score.count["no_reader"] += 1
        score.misses.append(f"{name}: no reader for {label['engine']}")
        got = {"status": "no reader", "results": []}
    score.note(name, "state", good=got["status"] in truth, got=got["status"], want=sorted(truth))
    found = [one["href"] for one in got["results"]]
    for one in results:
        if one["kind"] == "organic":
            good = one["href"] in found or one.get("url") in found
            score.note(name, "result", good=good, got="", want=one["title"])
        elif one["kind"] == "ad" and one["href"] in found:
            score.count["advertisements"] += 1
            score.tell(name, "advertisement", one["title"], None)


def score_board(
    score: Score, name: str, label: Mapping[str, Any], found: list[dict[str, Any]]
) -> None:
    """Compare a board's threads and their counts of replies; addresses may be written shorter."""
    told = {one["url"].partition("#")[0]: one for one in found}
    for one in label["threads"]:
        path = one["url"].partition("#")[0]
        match = next((url for url in told if url.endswith(path)), None)
        score.note(name, "thread", good=match is not None, got="", want=one["title"])
        counted = told[match] if match else {}
        for what in ("replies", "views"):
            if what in one:
                got = counted.get(what)
                good = match is not None and got == one[what]
                score.note(name, "count", good=good, got=got, want=one[what])


def score_thread(
    score: Score, name: str, label: Mapping[str, Any], found: list[dict[str, Any]]
) -> None:
    """Compare a thread's posts: each is the first one left that holds the beginning of its text."""
    left, before = list(found), score.count["post_right"]
    for post in label["posts"]:
        begins = plain(post["text"])[:12]
        match = next((one for one in left if begins and begins in plain(one["text"])), None)
        score.note(name, "post", good=match is not None, got="", want=post["text"][:40])
        pair = precision_and_recall(post["text"], match["text"] if match else "", chinese=True)
        score.texts.append(pair)
        if match is not None:
            left.remove(match)
        author = match["author"] if match else ""
        good = plain(author) == plain(post["author"])
        score.note(name, "author", good=good, got=author, want=post["author"])
        if post["time"]:
            time = _when(match["posted"]) if match else ""
            good = time.startswith(post["time"])
            score.note(name, "time", good=good, got=time, want=post["time"])
    whole = not left and score.count["post_right"] - before == len(label["posts"])
    score.note(name, "page", good=whole, got=len(found), want=len(label["posts"]))
    score.count["post_extra"] += len(left)


def _when(seconds: float | None) -> str:
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, CHINA):%Y-%m-%d %H:%M}"


def score_whole_thread(
    score: Score, name: str, label: Mapping[str, Any], posts: list[dict[str, Any]]
) -> None:
    """Compare all that is said in a thread: its posts, one after the other."""
    text = "\n".join(one["text"] for one in posts)
    pair = precision_and_recall(label["text"], text, chinese=label["chinese"])
    score.texts.append(pair)
    if min(pair) < 0.9:
        score.misses.append(f"{name}: text: precision {pair[0]:.2f}, recall {pair[1]:.2f}")


def score_class(score: Score, name: str, label: Mapping[str, Any], got: str) -> None:
    """Compare what a page is; some are more than one."""
    score.note(name, "page", good=got in label["kinds"], got=got, want=label["kinds"])
    if "BOARD" in label["kinds"]:
        score.note(name, "list", good=got in label["kinds"], got=got, want=label["kinds"])


_WORD = re.compile(r"\w+")


def f1_of_words(truth: str, found: str) -> float:
    """Compare the words of two texts, each as often as it occurs."""
    want, got = (Counter(_WORD.findall(one.lower())) for one in (truth, found))
    whole = want.total() + got.total()
    return 2 * (want & got).total() / whole if whole else 1.0


def score_words(score: Score, name: str, label: Mapping[str, Any], got: Mapping[str, str]) -> None:
    """Compare the words of a page's text, each as often as it occurs, as the Web Content Extraction Benchmark does."""
    f1 = f1_of_words(label["text"], got.get("text", ""))
    score.words.setdefault(label["type"], []).append(f1)
    if f1 < 0.9:
        score.misses.append(f"{name}: text: f1 {f1:.2f}")


def score_paging(
    score: Score, name: str, label: Mapping[str, Any], found: Mapping[str, Any]
) -> None:
    """Compare a page of a list: its items among its links, and the page that follows it."""
    for item in label["items"]:
        good = any(url.endswith(item) for url in found["links"])
        score.note(name, "item", good=good, got="", want=item)
    named = [url for url, anchor in label["paging"] if anchor in {"下一页", "下页"}]
    want = next(iter(named), label["path"])
    got = found["next"]
    is_last = want == label["path"]
    score.note(name, "next", good=not got if is_last else got.endswith(want), got=got, want=want)
