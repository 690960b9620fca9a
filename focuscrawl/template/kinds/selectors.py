"""Places in an answer, written with their language: ``css:h1``, ``xpath://h1``, ``json:data``."""

from __future__ import annotations

from collections.abc import Sequence

import jmespath
from cssselect import SelectorError
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from focuscrawl.template.kinds.kind import Kind, checked
from focuscrawl.values import Selector

LANGUAGES = ("css", "xpath", "json")
_EXAMPLES = {"css": "css:h3 a::attr(href)", "xpath": "xpath://h3/a/@href", "json": "json:results"}


def selector(languages: Sequence[str] = LANGUAGES) -> Kind:
    """A place in an answer, compiled once to see that it can be; built as values.Selector."""
    return checked("selector", lambda value: check_selector(value, languages), _selector)


def check_selector(value: str, languages: Sequence[str] = LANGUAGES) -> str:
    """Return a selector as written, in one of the languages; raises ValueError."""
    language, mark, expression = value.partition(":")
    expression = expression.strip()
    if not mark or language not in languages or not expression:
        forms = " or ".join(f'"{_EXAMPLES[one]}"' for one in languages)
        raise ValueError(f"a selector says its language: {forms}")
    try:
        if language == "css":
            HTMLTranslator().css_to_xpath(expression)
        elif language == "xpath":
            etree.XPath(expression)
        else:
            jmespath.compile(expression)
    except (SelectorError, etree.XPathError, JMESPathError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"not {_names[language]}: {reason}") from None
    return value


_names = {"css": "a CSS selector", "xpath": "XPath", "json": "JMESPath"}


def _selector(plain: str) -> Selector:
    language, _, expression = plain.partition(":")
    return Selector(language, expression.strip())
