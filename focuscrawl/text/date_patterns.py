"""The forms of dates on Chinese and English pages, and what their words mean."""

from __future__ import annotations

import re

MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
ZONES: dict[str, float] = {
    "z": 0,
    "utc": 0,
    "gmt": 0,
    "est": -5,
    "edt": -4,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
}
ZONES |= {
    "pst": -8,
    "pdt": -7,
    "bst": 1,
    "cet": 1,
    "cest": 2,
    "jst": 9,
    "kst": 9,
    "hkt": 8,
    "ist": 5.5,
}
"""Zone names that mean one thing; CST (China or Chicago) is decided by the topic's timezone."""

PLACES = {
    "et": "America/New_York",
    "ct": "America/Chicago",
    "mt": "America/Denver",
    "pt": "America/Los_Angeles",
}
"""Zone names that hold in summer and winter."""

FULL_WIDTH = str.maketrans("０１２３４５６７８９：／．－，（）\u3000\xa0", "0123456789:/.-,()  ")
HAN_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")

CLOCK = (
    r"(?:(?P<half>上午|下午|晚上|凌晨|中午|早上|傍晚|晚间)?\s*(?P<hour>[01]?\d|2[0-4])"
    r"\s*(?:[:时時點点]|\.(?=[0-5]\d\s*(?:(?:GMT|BST|UTC)\b|[AaPp]\.?[Mm]\b)))\s*"
    r"(?P<minute>[0-5]?\d)\s*(?:分|(?::\s*(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?)"
    r"(?:\s*(?P<half2>[AaPp]\.?[Mm])\b\.?)?)"
)
ZONE = r"(?:\s*\(?(?P<zone>Z\b|[ECMP]T\b|[A-Z]{3,4}\b(?:\s*[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d)\)?)"
WEEKDAY = r"(?:\s*\(?(?:星期|周|礼拜)[一二三四五六日天]\)?)"
AFTER_DAY = rf"(?:{WEEKDAY}?\s*(?:[T,|•·/]|[-—–]\s)?\s*(?:at\s+)?{CLOCK}{ZONE}?)?"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
YEAR = r"(?:19|20)\d\d"
NUMERIC = re.compile(
    rf"(?<![\d./-])(?P<year>{YEAR})\s*(?:年|(?P<mark>[-/.]))\s*(?P<month>0?[1-9]|1[0-2])\s*(?:月|(?P=mark))\s*"
    rf"(?P<day>0?[1-9]|[12]\d|3[01])(?!\d|\.\d)\s*[日号]?{AFTER_DAY}"
)
DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<day>[0-3]?\d)(?:st|nd|rd|th)?[\s-]+(?:of\s+)?(?P<name>{MONTH})[\s,-]+(?P<year>{YEAR})(?!\d)\s*,?{AFTER_DAY}",
    re.IGNORECASE,
)
MONTH_FIRST = re.compile(
    rf"\b(?P<name>{MONTH})\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(?:{CLOCK}{ZONE}?\s+)?(?P<year>{YEAR})(?!\d)",
    re.IGNORECASE,
)
NAMED_LAST = re.compile(
    rf"(?<![\d./-])(?P<year>{YEAR})[\s-]+(?P<name>{MONTH})[\s-]+(?P<day>[0-3]?\d)(?!\d|:\d)\s*,?{AFTER_DAY}",
    re.IGNORECASE,
)
CLOCK_AFTER = re.compile(rf"\s*,?\s*(?:at\s+|[-—–|•·/]\s*)?{CLOCK}{ZONE}?", re.IGNORECASE)
CLOCK_BEFORE = re.compile(
    rf"(?<![\d:.])(?=\d\d?[:.]\d\d){CLOCK}{ZONE}?\s*,?\s*(?:on\s+)?(?:[a-z]{{3,9}}day,?\s+)?$",
    re.IGNORECASE,
)
"""10:20 GMT, 5 March 2019."""
SLASHED = re.compile(
    rf"(?<![\d./-])(?P<first>[0-3]?\d)(?P<mark>[/.-])(?P<second_number>[0-3]?\d)(?P=mark)(?P<year>{YEAR})(?![\d./-])"
    rf"\s*{AFTER_DAY}"
)
HAN = re.compile(
    r"[一二]?[〇○零一二三四五六七八九]{3,4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]?"
)
REPUBLIC = re.compile(
    r"(?:(?:中[华華])?民[国國]\s*(?P<year>\d{2,3})|(?<=日期[:：])\s*(?P<labelled>1\d\d))\s*[年./-]\s*"
    r"(?P<month>0?[1-9]|1[0-2])\s*[月./-]\s*(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)\s*日?"
)
"""Years of the Republic as Taiwan prints them, 108 is 2019; of three digits also without its name."""

YEAR_LAST = re.compile(
    rf"(?<![\d年])(?P<month>1[0-2]|0?[1-9]|[一二三四五六七八九十]{{1,2}})月\s*(?P<day>[0-3]?\d)日?\s*,?\s*(?P<year>{YEAR})(?![\d年])"
)
"""三月 5, 2019, as blogs print that only know the order of English."""

DASH = re.compile(r"(?<=\d)[—–‑](?=\d)")
SHORT_YEAR = re.compile(
    r"((?:[发發][布佈表])(?:[时時][间間]|日期)?\s*[:：于於]?\s*)(?=[0-3]\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\s+\d{1,2}:\d\d)"
)
"""Before the date in 发布时间：19-03-05 10:20; without its label and its clock the order is not sure."""

COMPACT = re.compile(
    rf"({YEAR})(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T?([01]\d|2[0-3])([0-5]\d)([0-5]\d)(Z|[+-]\d\d:?\d\d)?)?"
)
WORTH_A_LOOK = re.compile(r"\d|年|前|刚刚|ago\b|just now", re.IGNORECASE)
EPOCH = re.compile(r"1\d{9}(?:\d{3})?")
AGO = re.compile(
    r"(?P<number>\d{1,3}|半|an?|one)\s*个?\s*(?P<unit>秒|分钟|分|小时|钟头|天|日|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?)"
    r"\s*(?:以?前|之前|ago)",
    re.IGNORECASE,
)
NEAR_DAY = re.compile(
    rf"(?P<word>刚刚|今天|今日|昨天|昨日|前天|just now|today|yesterday)(?:\s*,?\s*(?:at\s+)?{CLOCK})?",
    re.IGNORECASE,
)
IN_ADDRESS = re.compile(
    r"[/_-]t?(?P<year>(?:19|20)\d\d)(?P<mark>[-/_]?)(?P<month>0[1-9]|1[0-2])(?:(?P=mark)|/)(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
)
YEAR_THEN_DAY = re.compile(
    r"/(?P<year>(?:19|20)\d\d)/(?:(?P<month>0[1-9]|1[0-2])-?(?P<day>0[1-9]|[12]\d|3[01])"
    r"|(?P<short_month>[1-9]|1[0-2])/(?P<short_day>[1-9]|[12]\d|3[01]))/"
)
DAYS_BACK = {"刚刚": 0, "just now": 0, "今天": 0, "今日": 0, "today": 0}
DAYS_BACK |= {"昨天": 1, "昨日": 1, "yesterday": 1, "前天": 2}
UNITS = {"秒": 1, "分": 60, "小": 3600, "钟": 3600, "天": 86_400, "日": 86_400}
UNITS |= {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def in_digits(text: str) -> str:
    """Write the dates of a text that are in Chinese numbers, of the Republic, end with their year or
    have two digits of it in the usual order and in digits.
    """
    if HAN.search(text):
        text = HAN.sub(lambda match: _han_date(match.group()), text)
    if "月" in text:
        text = YEAR_LAST.sub(_year_first, text)
    if "民" in text or "日期" in text:
        text = REPUBLIC.sub(_of_the_republic, text)
    text = DASH.sub("-", text)
    if "-" in text:
        text = SHORT_YEAR.sub(r"\g<1>20", text)
    return text


def _han_date(text: str) -> str:
    year, _, rest = text.partition("年")
    month, _, day = rest.partition("月")
    return (
        f"{year.translate(HAN_DIGITS)}年{_han_number(month)}月{_han_number(day.rstrip('日号'))}日"
    )


def _year_first(match: re.Match[str]) -> str:
    month = match["month"]
    number = int(month) if month.isascii() else _han_number(month)
    return f"{match['year']}年{number}月{match['day']}日"


def _of_the_republic(match: re.Match[str]) -> str:
    year = 1911 + int(match["year"] or match["labelled"])
    return f"{year}年{match['month']}月{match['day']}日"


def _han_number(text: str) -> int:
    tens, mark, ones = text.partition("十")
    if not mark:
        return int(text.translate(HAN_DIGITS))
    return int(tens.translate(HAN_DIGITS) or 1) * 10 + int(ones.translate(HAN_DIGITS) or 0)
