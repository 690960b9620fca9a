"""The language of a text, by its script."""

from __future__ import annotations

import re

LANGUAGE_SAMPLE = 2_000
HAN = re.compile(r"[\u4e00-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")
HANGUL = re.compile(r"[\uac00-\ud7a3]")
WORD = re.compile(r"[^\W\d_\u3040-\ud7a3]{2,}")
"""Words of a script with spaces; one Han character counts as much as one of them, since Chinese
texts hold program code and names."""


def language_of(text: str, declared: str, expected: str) -> str:
    """Tell a text's language by its script (zh, ja, ko), else by what is declared or expected."""
    sample = text[:LANGUAGE_SAMPLE]
    words = len(WORD.findall(sample))
    han, kana, hangul = (len(script.findall(sample)) for script in (HAN, KANA, HANGUL))
    if hangul > max(words, han) / 3:
        return "ko"
    if kana > (words + han) / 8:
        return "ja"
    declared = declared.strip().lower().replace("_", "-").partition("-")[0]
    if han > words / (12 if declared == "zh" else 3):
        return "zh"
    if declared.isalpha() and len(declared) in {2, 3} and declared not in {"zh", "ja", "ko"}:
        return declared
    return "en" if expected in {"zh", "ja", "ko", ""} else expected
