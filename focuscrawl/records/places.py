"""A name where no label gives one: the line about copyright, the title of the page (C7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from focuscrawl.records.lines import JOINT, RecordLine
from focuscrawl.records.values.names import EDGES, organisation

COPYRIGHT = re.compile(r"版权所有|版權所有|copyright|©|\(c\)|all rights? reserved", re.IGNORECASE)
BOILERPLATE = re.compile(
    r"(?:copy\s*right|©|&copy;|\(c\)|（R）|all\s+rights?\s+reserved|power(?:ed)?\s+by.*|技术支持.*|(?:网站)?备案(?:序|证)?号?[:：]?|[\u4e00-\u9fff]?icp[备证]?\s*\d*号?(?:-\d+)?|www\.\S+|https?://\S+|(?:19|20)\d\d\s*(?:[-–—~至]\s*(?:(?:19|20)\d\d)?)?\s*年?|未经.*)",
    re.IGNORECASE,
)
OWNED = re.compile(r"版权所有|版權所有")
_SPLIT = re.compile(rf"[\s{JOINT}|｜,，.。;；:：、/]+")
TITLE_SPLIT = re.compile(r"\s*(?:[-_|｜—–>»·,，:：]+)\s*")
SECTION = re.compile(
    r"(?:欢迎.*|主办|承办|单位|制作|维护|联系|聯繫|聯絡|关于|關於|公司|企业|首页|主页|官网|官方网站|网站|contact|about|home|introduction|us|our|我们|我們|方式|简介|概况|介绍|\s)+",
    re.IGNORECASE,
)
_LONGEST_NAME = 30


def from_copyright(lines: Sequence[RecordLine]) -> str:
    """Return who owns the page by its line about copyright, "" when none says."""
    loose = ""
    for line in reversed(lines):
        if not COPYRIGHT.search(line.text):
            continue
        parts = [
            part for part in _SPLIT.split(OWNED.sub(" ", BOILERPLATE.sub(" ", line.text))) if part
        ]
        for part in parts:
            if name := organisation(part):
                return name
        if OWNED.search(line.text) and len(parts) == 1 and 2 <= len(parts[0]) <= _LONGEST_NAME:
            loose = loose or parts[0]
    return loose if loose and not SECTION.fullmatch(loose) else ""


def from_title(title: str) -> str:
    """Return the name of the site by the title: an organisation, else what is no section."""
    parts = [part.strip(EDGES) for part in TITLE_SPLIT.split(title)]
    parts = [part for part in parts if part]
    for part in parts:
        if name := organisation(part):
            return name
    names = [part for part in parts if not SECTION.fullmatch(part)]
    if len(parts) == 2 and len(names) == 1 and 2 <= len(names[0]) <= _LONGEST_NAME:
        return names[0]
    return ""
