"""A page as the lines a reader sees, with what stands in their markup: for reading records (C7)."""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from lxml import etree

_MOST_RECORD_LINES = 4_000
MOST_TEXT = 200_000  # characters of a page that are read; a page with records is short
_LONGEST_RECORD_LINE = 1_500

INPUT = "\ufffc"  # stands for a field of a form: what is before it is no label of a value

# Stands where an inline element begins or ends; it is white space of no width to labels.
JOINT = "\u200b"

# Stand for icons, by the type of the value they announce.
CUES = {
    "phone": "\ue001",
    "email": "\ue002",
    "address": "\ue003",
    "fax": "\ue004",
    "qq": "\ue005",
    "url": "\ue006",
}

_LINE_BLOCKS = frozenset((
    "p", "div", "li", "tr", "td", "th", "dl", "dt", "dd", "table", "tbody", "thead", "tfoot",
    "caption", "h1", "h2", "h3", "h4", "h5", "h6", "br", "hr", "ul", "ol", "section", "article",
    "header", "footer", "form", "main", "aside", "nav", "address", "body", "html", "center",
    "figure", "figcaption", "fieldset", "legend", "blockquote", "pre", "marquee", "option",
))  # fmt: skip
CELLS = frozenset(("td", "th", "dt", "dd"))
SKIPPED = frozenset(("script", "style", "head", "noscript", "template", "svg", "object", "iframe"))
BOXES = frozenset(("textarea", "select"))
NO_BOX = frozenset(("hidden", "submit", "button", "image", "reset", "checkbox", "radio"))
_PRIVATE = re.compile("[\ue000-\uf8ff\ufffc\u200c-\u200f\u2028-\u202e\u2060\ufeff\xad]")
# What icons are called, in classes, names of files and what they are read aloud as; by what they announce.
_ICON_WORDS = (
    r"(?:(?P<fax>fax|print(?:er)?|chuanzhen|传真)|(?P<email>e?-?mail|envelope|youxiang|youjian|(?<=fa-)at|(?<=bi-)at|邮箱|邮件)"
    r"|(?P<address>address|addr|location|environment|map|marker|mapmarker|pin|geo|place|dizhi|dingwei|weizhi|position|地址|位置)|(?P<qq>qq)"
    r"|(?P<url>globe|website|wangzhi|guanwang|网址)"
    r"|(?P<phone>(?:cell|tele|ear)?phone|tel|mobile|dianhua|shouji|call|hotline|rexian|电话|手机|热线))"
)
ICON = re.compile(rf"(?:^|[\s_/#.-]|icon|ico){_ICON_WORDS}(?![a-z\u4e00-\u9fff])", re.IGNORECASE)
# A class or an id of what holds a value and nothing else: tel, contact-phone, footer_address.
_HOLDER = re.compile(
    rf"(?:(?:contact|footer|foot|header|company|store|shop|c)[_-]?)?{_ICON_WORDS}(?:[_-]?(?:number|num|text|txt))?",
    re.IGNORECASE,
)
LONGEST_HELD = 80  # characters of what a class names
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ICON_SAID = re.compile(r"\s*(?:图标|图片|icon|logo|[:：])\s*$", re.IGNORECASE)
_ICON_NAMES = ("class", "data-icon", "data-feather", "data-lucide", "name", "aria-label", "title")
_ICON_ELEMENTS = frozenset({"i", "span", "em", "b", "img", "svg", "ion-icon", "div"})
# Fonts of which each text is the name of a sign.
_LIGATURES = re.compile(r"material-(?:icons|symbols)")
_LONGEST_LINE_NAME = 120  # characters of what an icon is called
EMOJI = {
    **dict.fromkeys("☎📞📱📲✆☏", CUES["phone"]),
    **dict.fromkeys("✉📧📩📨🖂", CUES["email"]),
    **dict.fromkeys("📍🏠🏢📌", CUES["address"]),
    "📠": CUES["fax"],
}
EMOJIS = re.compile(f"[{''.join(EMOJI)}]\ufe0f?")
# Latin letters one by one, as a label that is to be as wide as others: Q Q：
SPELLED = re.compile(
    rf"(?<![A-Za-z])(?:[A-Za-z][ {JOINT}]+){{1,8}}[A-Za-z](?=[ {JOINT}]*[:：号號])"
)

# Letters in elements of their own, one by one.
LETTERWISE = re.compile(rf"(?<![^\W_])(?:[^\W\d_]{JOINT}+){{2,}}[^\W\d_](?=[{JOINT} ]|[:：]|$)")

MAIL = re.compile(r"ma+i?l+i?t?to+\s*:", re.IGNORECASE)
MOST_HREF = 2_000
MOST_SAID = 20  # links of a line that are listened to


class LinkedValue(NamedTuple):
    """What a link says without showing it: an address of mail, a number to call, a QQ to talk to."""

    type: Literal["email", "phone", "qq"]
    value: str


class RecordLine(NamedTuple):
    """A line. ``element`` is the innermost block it stands in, ``said`` what its links say.
    ``linked``: all of it is a link.
    """

    number: int
    text: str
    element: etree._Element
    said: tuple[LinkedValue, ...] = ()
    linked: bool = False


class _Reader:
    def __init__(self) -> None:
        self.lines: list[RecordLine] = []
        self.total = 0
        self._pieces: list[str] = []
        self._said: list[LinkedValue] = []
        self._plain = False
        self._links = 0

    def text(self, text: str | None) -> None:
        if not text:
            return
        if not self._links and not text.isspace():
            self._plain = True
        self._pieces.append(text)

    def mark(self, mark: str) -> None:
        if mark:
            self._pieces.append(mark)
            self._plain = self._plain or (mark != JOINT and not self._links)

    def flush(self, element: etree._Element) -> None:
        if not self._pieces and not self._said:
            return
        text = "".join(self._pieces)[:_LONGEST_RECORD_LINE]
        text = _tidy(text)
        if text or self._said:
            said = tuple(self._said)
            self.lines.append(RecordLine(len(self.lines), text, element, said, not self._plain))
            self.total += len(text)
        self._pieces.clear()
        self._said.clear()
        self._plain = False

    @property
    def full(self) -> bool:
        return len(self.lines) >= _MOST_RECORD_LINES or self.total >= MOST_TEXT

    def enter_link(self, element: etree._Element) -> None:
        self._links += 1
        said = _said_by(element.get("href", ""))
        if said is not None and len(self._said) < MOST_SAID:
            self._said.append(said)

    def leave_link(self) -> None:
        self._links -= 1


def _tidy(text: str) -> str:
    """Collapse blanks, and joints beside blanks or each other."""
    text = " ".join(text.split())
    if ":" in text or "：" in text:
        text = SPELLED.sub(lambda match: re.sub(r"\W", "", match[0]), text)
    if JOINT in text:
        text = LETTERWISE.sub(lambda match: match[0].replace(JOINT, ""), text)
        text = re.sub(rf" ?{JOINT}[{JOINT} ]*", lambda m: " " if " " in m[0] else JOINT, text)
    return text.strip(f" {JOINT}")


def read_lines(root: etree._Element) -> list[RecordLine]:
    """Return the lines of a page in reading order; comments, scripts and forms' values are none."""
    reader = _Reader()
    blocks = [root]
    skipping: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag
        if event == "start":
            if skipping is not None or not isinstance(tag, str):
                continue
            if tag in SKIPPED:
                if tag == "svg":
                    reader.mark(_cue_of(element))
                skipping = element
                continue
            if tag in _LINE_BLOCKS:
                reader.flush(blocks[-1])
                blocks.append(element)
                if tag == "div":
                    reader.mark(_cue_of(element))
            else:
                _start_inline(reader, element, tag)
                if tag in BOXES or _LIGATURES.search(element.get("class", "")):
                    reader.mark(_cue_of(element))
                    skipping = element
                    continue
            reader.mark(_held_by(element))
            reader.text(_clean(element.text))
        else:
            if skipping is not None and element is not skipping:
                continue
            if element is skipping:
                skipping = None
            elif tag in _LINE_BLOCKS:
                reader.flush(blocks[-1])
                blocks.pop()
            elif isinstance(tag, str):
                if tag == "a":
                    reader.leave_link()
                reader.mark(JOINT)
            if element is not root:
                reader.text(_clean(element.tail))
            if reader.full:
                break
    reader.flush(root)
    return reader.lines


def _start_inline(reader: _Reader, element: etree._Element, tag: str) -> None:
    reader.mark(JOINT)
    if tag == "a":
        reader.enter_link(element)
    elif tag in BOXES or (tag == "input" and element.get("type", "text").lower() not in NO_BOX):
        reader.mark(INPUT)
    elif tag == "img":
        alt = _ICON_SAID.sub("", element.get("alt", ""))
        if 1 < len(alt) <= 8 and not (alt.isascii() and ICON.match(alt)):
            reader.text(_clean(alt))
            return
    if tag in _ICON_ELEMENTS:
        reader.mark(_cue_of(element))


def _cue_of(element: etree._Element) -> str:
    """Return the mark of what an icon announces, "" for what is none."""
    tag = element.tag
    names = [element.get(name, "") for name in _ICON_NAMES]
    if tag == "svg":
        parts = list(islice(element, 3))
        names += [str(value) for part in parts for name, value in part.items() if "href" in name]
        names += [part.text or "" for part in parts if part.tag == "title"]
    elif _LIGATURES.search(names[0]):
        names = [element.text or ""]
    elif len(element) or (element.text or "").strip():
        return ""
    elif tag == "img":
        names += [element.get("alt", ""), element.get("src", "")[-40:]]
    said = " ".join(_CAMEL.sub("-", name[:_LONGEST_LINE_NAME]) for name in names)
    found = ICON.search(said.replace("_", " "))
    return CUES[found.lastgroup] if found is not None and found.lastgroup else ""


def _held_by(element: etree._Element) -> str:
    """Return the mark of the value that the class or id of an element says it holds, "" for none."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    text = element.text or ""
    if names == " " or len(names) > _LONGEST_LINE_NAME or not text.strip() or len(element) > 1:
        return ""
    if len(text) > LONGEST_HELD:
        return ""
    found = next(filter(None, map(_HOLDER.fullmatch, names.split())), None)
    return CUES[found.lastgroup] if found is not None and found.lastgroup else ""


def _clean(text: str | None) -> str | None:
    if not text or text.isascii():
        return text
    text = _PRIVATE.sub("", text)
    return EMOJIS.sub(lambda match: EMOJI[match[0][0]], text)


def _said_by(href: str) -> LinkedValue | None:
    """Read what a link says: mailto (its misspellings, too), tel, and QQ's two forms."""
    href = href.strip()[:MOST_HREF]
    if not href or href[0] in "#/.?":
        return None
    if found := MAIL.match(href):
        return LinkedValue("email", unquote(href[found.end() :]).partition("?")[0].strip())
    scheme, _, rest = href.partition(":")
    if scheme.lower() in {"tel", "callto", "sms"}:
        return LinkedValue("phone", unquote(rest).strip("/ "))
    if scheme.lower() == "tencent" or "qq.com" in href.lower():
        return _qq(href)
    return None


def _qq(href: str) -> LinkedValue | None:
    try:
        query = parse_qs(urlsplit(href).query)
    except ValueError:
        return None
    for name in ("uin", "Uin", "UIN", "u", "V", "qq"):
        for value in query.get(name, ()):
            if (
                value.isascii()
                and value.isdigit()
                and 5 <= len(value) <= 12
                and not _made_up(value)
            ):
                return LinkedValue("qq", value)
    return None


def _made_up(digits: str) -> bool:
    """Whether a number is what templates are sold with: 123456789, 1111111111."""
    return len(set(digits)) <= 2 or digits in "12345678901234567890" or digits in "9876543210"
