"""Addresses: believed behind a label when they can be one, else told by their parts (C7)."""

from __future__ import annotations

import re

from focuscrawl.records.values.names import EDGES, SENTENCE
from focuscrawl.text.characters import HAN

POST_CODE = re.compile(
    r"(?<![\w-])(?:[A-Z]{0,2} ?\d{4,5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![\w-])"
)
"""As other countries write them."""

_OTHER = re.compile(f"{SENTENCE.pattern}|[:：@]|^(?:https?|www)\\b", re.IGNORECASE)
"""What no address holds."""

FEWEST_LETTERS = 4
LONGEST_REST = 60
_LONGEST_ADDRESS = 80
"""Characters of an address that no label names."""

_PLACE = "省|自治区|市|区|區|县|縣|旗|州|盟|镇|鎮|乡|鄉|村|街道|开发区|园区|工业园|产业园|新区"
ROAD = "路|街|道|巷|弄|胡同|大道|国道|里|段"
HOUSE = "号|號|栋|棟|幢|座|楼|樓|层|層|室|单元|房|院|大厦|大廈|广场|中心|园"
_ADDRESS = re.compile(
    rf"(?:(?:中国|中國|China)?[\s.·,，]*)?[\u4e00-\u9fff]{{1,10}}(?:{_PLACE})[^;；。|<>@]{{0,60}}?"
    rf"(?:(?:{ROAD})[^;；。|<>@]{{0,30}}?)?[\dA-Za-z一二三四五六七八九十百甲乙丙丁-]+\s*(?:{HOUSE})"
)
DIGIT = re.compile(r"\d")
SITED = re.compile(f"{_PLACE}|{ROAD}|{HOUSE}|[\\d州校站桥门口角旁侧内]")
HOUSE_NUMBER = re.compile(rf"\d[-\dA-Za-z]*\s*(?:{HOUSE})")
_PLACES = re.compile(_PLACE)
ROADS = re.compile(f"{ROAD}|村|园|镇")
STREET = re.compile(
    r"(?:\d+[\w-]*,? (?:[A-Z][\w.]*,? ){1,4}|no\.? ?\d+.{0,40}?)"
    r"(?:road|rd|street|st|avenue|ave|drive|dr|lane|ln|boulevard|blvd|park|way|plaza|square)\b",
    re.IGNORECASE,
)
AFTER_ADDRESS = re.compile(
    r"\s*(?:[|｜;；。<>]|\(?(?:邮编|郵編|电话|電話|传真|邮箱|版权|技术支持|备案|ICP备|查看地图|查看詳細)|https?://|www\.|\s[蜀京沪粤苏浙鲁豫冀晋辽吉黑皖闽赣湘鄂桂琼渝川贵云藏陕甘青宁新]ICP|0\d{2,3}-\d{7}|1[3-9]\d{9}).*$"
)


def find_address(text: str, *, labelled: bool) -> str:
    """Return the address a text is, "" when it is none; without a label it must be a whole one."""
    plain = " ".join(AFTER_ADDRESS.sub("", text.replace("\u200b", " ")).split()).strip(EDGES)
    if not labelled:
        found = _ADDRESS.match(plain) or STREET.match(plain)
        two = found is not None and (
            found.re is STREET or (len(_PLACES.findall(plain)) + len(ROADS.findall(plain)) >= 2)
        )
        whole = len(plain) <= _LONGEST_ADDRESS and not _OTHER.search(plain)
        return plain if two and whole else ""
    letters = sum(character.isalpha() for character in plain)
    if letters < FEWEST_LETTERS or _OTHER.search(plain.replace("：", "").replace(":", "")):
        return ""
    return plain if (SITED if HAN.search(plain) else DIGIT).search(plain) else ""


def continues_address(address: str, text: str) -> bool:
    """Whether a line is the rest of an address: its house after its town, its town after its street."""
    if len(text) > LONGEST_REST or _OTHER.search(text):
        return False
    if HAN.search(address):
        return not HOUSE_NUMBER.search(address) and HOUSE_NUMBER.search(text) is not None
    return not HAN.search(text) and "," in text and POST_CODE.search(text) is not None
