"""Values of records by their type (C7): found in a text, checked, normalised.

What a label names is believed when it can be such a value at all; without a label only what cannot
be anything else is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from focuscrawl.extract.record_phones import find_phones
from focuscrawl.extract.record_rules import FieldRule, Found, Value
from focuscrawl.text.dates import find_dates
from focuscrawl.text.simplified import to_simplified

LONGEST_VALUE = 200
"""Characters of a value; a longer text is prose."""

LONGEST_NAME = 60
PATTERN_SECONDS = 0.2

NOTHING = re.compile(
    r"[\W_]*(?:null|none|nil|undefined|n/?a|暂无|暫無|无|無|没有|待定|待补充|未填写|不详|保密|x{3,}|請?输入.*|请.{0,4}填写.*|点击.*|查看.*)?[\W_]*",
    re.IGNORECASE,
)
"""Words that stand where a value is missing."""

EMAIL = re.compile(
    r"(?<![\w.+-])([a-z0-9][\w.+-]{0,63})\s*(?:@|\[at\]|\(at\)|#(?=[a-z0-9-]+\.(?:com|cn|net)\b))\s*"
    r"((?:[a-z0-9][a-z0-9-]{0,62}\s?\.\s?)+[a-z]{2,24})(?![\w-])",
    re.IGNORECASE | re.ASCII,
)
WEB = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'，。、；（）()【】《》\u4e00-\u9fff]+"
    r"|(?<![\w.@/-])(?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:com|cn|net|org|gov|edu|cc|top|vip|info|hk|tw|example)(?:\.[a-z]{2})?(?![\w@.-])(?:/[^\s，。；（）]*)?",
    re.IGNORECASE | re.ASCII,
)
ZIP = re.compile(r"(?<![\d-])\d{6}(?![\d-])")
ZIP_ABROAD = re.compile(
    r"(?<![\w-])(?:[A-Z]{0,2} ?\d{4,5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![\w-])"
)
QQ = re.compile(r"(?<![\d-])[1-9]\d{4,11}(?![\d-])")
WECHAT = re.compile(
    r"(?<![\w-])(?:[a-z][\w-]{5,19}|1[3-9]\d{9})(?![\w-])", re.IGNORECASE | re.ASCII
)
NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
MYRIADS = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3}
CODE = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)[0-9A-Z][0-9A-Z-]{3,39}(?![\w-])", re.IGNORECASE | re.ASCII
)

PLACE = "省|自治区|市|区|區|县|縣|旗|州|盟|镇|鎮|乡|鄉|村|街道|开发区|园区|工业园|产业园|新区"
ROAD = "路|街|道|巷|弄|胡同|大道|国道|里|段"
HOUSE = "号|號|栋|棟|幢|座|楼|樓|层|層|室|单元|房|院|大厦|大廈|广场|中心|园"
ADDRESS = re.compile(
    rf"(?:(?:中国|中國|China)?[\s.·,，]*)?[\u4e00-\u9fff]{{1,10}}(?:{PLACE})[^;；。|<>@]{{0,60}}?"
    rf"(?:(?:{ROAD})[^;；。|<>@]{{0,30}}?)?[\dA-Za-z一二三四五六七八九十百甲乙丙丁-]+\s*(?:{HOUSE})"
)
HAN = re.compile(r"[\u4e00-\u9fff]")
DIGIT = re.compile(r"\d")
SITED = re.compile(f"{PLACE}|{ROAD}|{HOUSE}|[\\d州校站桥门口角旁侧内]")
HOUSE_NUMBER = re.compile(rf"\d[-\dA-Za-z]*\s*(?:{HOUSE})")
PLACES = re.compile(PLACE)
ROADS = re.compile(f"{ROAD}|村|园|镇")
STREET = re.compile(
    r"(?:\d+[\w-]*,? (?:[A-Z][\w.]*,? ){1,4}|no\.? ?\d+.{0,40}?)"
    r"(?:road|rd|street|st|avenue|ave|drive|dr|lane|ln|boulevard|blvd|park|way|plaza|square)\b",
    re.IGNORECASE,
)
AFTER_ADDRESS = re.compile(
    r"\s*(?:[|｜;；。<>]|\(?(?:邮编|郵編|电话|電話|传真|邮箱|版权|技术支持|备案|ICP备|查看地图|查看詳細)|https?://|www\.|\s[蜀京沪粤苏浙鲁豫冀晋辽吉黑皖闽赣湘鄂桂琼渝川贵云藏陕甘青宁新]ICP|0\d{2,3}-\d{7}|1[3-9]\d{9}).*$"
)
ORGANISATION = re.compile(
    r"(?:[\u4e00-\u9fff（）()A-Za-z0-9·&]{1,30}(?:有限责任公司|股份有限公司|有限公司|集团公司|总公司|分公司|子公司|公司|集团|事务所|研究院|研究所|设计院"
    r"|检定所|医院|诊所|学校|学院|大学|协会|学会|商会|委员会|管理局|工作室|经营部|营业部|办事处|市场部|门市部|服务部|销售部|工厂|总厂|分厂|制造厂|加工厂|印刷厂|机械厂|合作社|农场|酒店|宾馆|饭店|传媒|生产基地|基地|联盟|中心|(?:厂|店|社)(?=$|[\s（(]))"
    r"(?:[\u4e00-\u9fff]{1,10}(?:分公司|办事处|市场部|营业部|分店|分厂|门市部|分部))?)"
    r"|(?:[A-Z][\w.&'-]*,?[ ]){1,6}(?:Co\.?,? ?Ltd\.?|Inc\.?|LLC|GmbH|Corporation|Corp\.?|Limited|Company|Group|Office|Headquarters?|Branch)"
)
WELCOME = re.compile(r"^(?:热烈)?欢迎您?(?:来到|光临|访问|进入)?")
NO_NAME = re.compile(
    r"(?:客户|客服|服务|新闻|产品|数据|会员|个人|下载|帮助|资讯|视频|图片|媒体|招聘|培训|技术|支持|营销|运营|人才|售后|展示|案例|联系|关于|走进|我们的?|本|总|分|子|集团|公司|管理|用户|企业|学习|活动|互动|商务|采购|项目|工程|信息|政务|办事|大|全国|各地)+"
    r"(?:中心|公司|集团|基地|联盟|学院|学校|大学|学会|协会|医院|酒店|传媒)"
)
SENTENCE = re.compile(r"[。！？!?；;]|，.*，")
BRACKETED = re.compile(r"\s*[（(【\[][^（()）】\]]*[）)】\]]?\s*$")
EDGES = " \t:：,，、;；。|｜/-—–_·•>*\"'“”\u200b\u3000"


class Hit(NamedTuple):
    """A value in a text: normalised, as printed, and its span."""

    value: Value
    raw: str
    start: int
    end: int


def find_values(
    rule: FieldRule, text: str, *, labelled: bool, timezone: str = "UTC", now: float | None = None
) -> list[Found]:
    """Return the values of a field in a text, in their order; one is enough unless ``many``.

    ``text`` is what stands behind a label (``labelled``) or a line of a block. ``timezone`` and
    ``now`` are for dates.
    """
    text = text.strip(EDGES)[:LONGEST_VALUE]
    if not text or NOTHING.fullmatch(text):
        return []
    if rule.type == "date":
        dates = find_dates(text, timezone=timezone, now=now)
        hits = [Hit(date.as_printed(), date.raw, date.start, date.start) for date in dates]
    else:
        hits = READERS[rule.type](text, labelled)
    found: list[Found] = []
    for hit in hits:
        value = _matched(rule, hit)
        if value is not None and all(value != one.value for one in found):
            found.append(Found(value, " ".join(hit.raw.replace("\u200b", "").split())))
    return found


def _matched(rule: FieldRule, hit: Hit) -> Value | None:
    """Return the value by the field's pattern, None when it does not match."""
    if rule.pattern is None:
        return hit.value
    try:
        match = rule.pattern.search(str(hit.value), timeout=PATTERN_SECONDS)
    except TimeoutError:
        return None
    if match is None:
        return None
    return str(match[1] if match.re.groups else hit.value)


def _phones(text: str, labelled: bool) -> list[Hit]:
    return [
        Hit(one.number, one.raw, one.start, one.end) for one in find_phones(text, labelled=labelled)
    ]


def _mobiles(text: str, labelled: bool) -> list[Hit]:
    found = find_phones(text, labelled=labelled)
    return [Hit(one.number, one.raw, one.start, one.end) for one in found if one.mobile]


def _emails(text: str, labelled: bool) -> list[Hit]:
    plain = unicodedata.normalize("NFKC", text.replace("\u200b", " "))
    return [
        Hit(f"{match[1]}@{match[2]}".replace(" ", "").lower(), match[0], *match.span())
        for match in EMAIL.finditer(plain)
    ]


def _urls(text: str, labelled: bool) -> list[Hit]:
    found = []
    for match in WEB.finditer(unicodedata.normalize("NFKC", text)):
        raw = match[0].rstrip(".,;:/'\"")
        value = raw if "://" in raw else f"http://{raw}"
        scheme, _, rest = value.partition("://")
        host, slash, path = rest.partition("/")
        found.append(
            Hit(f"{scheme.lower()}://{host.lower()}{slash or '/'}{path}", raw, *match.span())
        )
    return found


def _zips(text: str, labelled: bool) -> list[Hit]:
    if not labelled:
        return []
    plain = unicodedata.normalize("NFKC", text)
    found = _all(ZIP, plain) or _all(ZIP_ABROAD, plain)
    return found[:1]


def _qqs(text: str, labelled: bool) -> list[Hit]:
    return _all(QQ, unicodedata.normalize("NFKC", text)) if labelled else []


def _wechats(text: str, labelled: bool) -> list[Hit]:
    return _all(WECHAT, unicodedata.normalize("NFKC", text)) if labelled else []


def _numbers(text: str, labelled: bool) -> list[Hit]:
    if not labelled:
        return []
    plain = unicodedata.normalize("NFKC", text)
    found = []
    for match in NUMBER.finditer(plain):
        value = float(match[0].replace(",", ""))
        value *= MYRIADS.get(plain[match.end() :].lstrip()[:1], 1.0)
        found.append(Hit(int(value) if value.is_integer() else value, match[0], *match.span()))
    return found


def _codes(text: str, labelled: bool) -> list[Hit]:
    if not labelled:
        return []
    plain = unicodedata.normalize("NFKC", text)
    return [hit._replace(value=str(hit.value).upper()) for hit in _all(CODE, plain)]


def _addresses(text: str, labelled: bool) -> list[Hit]:
    plain = " ".join(AFTER_ADDRESS.sub("", text.replace("\u200b", " ")).split()).strip(EDGES)
    if not labelled:
        found = ADDRESS.match(plain) or STREET.match(plain)
        two = found is not None and (
            found.re is STREET or (len(PLACES.findall(plain)) + len(ROADS.findall(plain)) >= 2)
        )
        whole = (
            len(plain) <= 80 and not SENTENCE.search(plain) and ":" not in plain.replace("：", ":")
        )
        return [Hit(plain, plain, 0, len(plain))] if two and whole else []
    letters = sum(character.isalpha() for character in plain)
    if letters < 4 or EMAIL.search(plain) or plain.startswith(("http", "www.")):
        return []
    if SENTENCE.search(plain) or not (SITED if HAN.search(plain) else DIGIT).search(plain):
        return []
    return [Hit(plain, plain, 0, len(plain))]


def continues_address(address: str, text: str) -> bool:
    """Whether a line is the rest of an address: its house after its town, its town after its street."""
    if len(text) > 60 or SENTENCE.search(text) or EMAIL.search(text):
        return False
    if HAN.search(address):
        return not HOUSE_NUMBER.search(address) and HOUSE_NUMBER.search(text) is not None
    return not HAN.search(text) and "," in text and ZIP_ABROAD.search(text) is not None


def _texts(text: str, labelled: bool) -> list[Hit]:
    plain = " ".join(text.replace("\u200b", " ").split())
    if labelled:
        plain = re.split(r"[|｜;；。]|\s[-–—]\s", plain)[0].strip(EDGES)
        if not plain or not any(character.isalnum() for character in plain):
            return []
        return [Hit(plain, plain, 0, len(plain))]
    name = organisation(plain)
    return [Hit(name, name, 0, len(name))] if name else []


def organisation(text: str) -> str:
    """Return the organisation a short line names from its beginning, "" when it names none."""
    plain = " ".join(text.replace("\u200b", " ").split()).strip(EDGES)
    plain = WELCOME.sub("", plain).strip(EDGES)
    if len(plain) > 2 * LONGEST_NAME or SENTENCE.search(plain):
        return ""
    folded = plain.translate(to_simplified())  # one character for one
    found = ORGANISATION.match(folded)
    if found is None:
        return ""
    rest = plain[found.end() :]
    if rest and not BRACKETED.fullmatch(rest) and re.match(r"[\w]", rest):
        return ""  # 公司简介, 公司地址: the words go on
    name = plain[: found.end()].strip(EDGES)
    if name.count("（") + name.count("(") != name.count("）") + name.count(")"):
        return ""
    return (
        name
        if 4 <= len(name) <= LONGEST_NAME and not NO_NAME.fullmatch(folded[: found.end()])
        else ""
    )


def _all(pattern: re.Pattern[str], plain: str) -> list[Hit]:
    return [Hit(match[0], match[0], *match.span()) for match in pattern.finditer(plain)]


READERS: dict[str, Callable[[str, bool], list[Hit]]] = {
    "text": _texts,
    "phone": _phones,
    "mobile": _mobiles,
    "fax": _phones,
    "email": _emails,
    "url": _urls,
    "zip": _zips,
    "qq": _qqs,
    "wechat": _wechats,
    "address": _addresses,
    "number": _numbers,
    "code": _codes,
}
