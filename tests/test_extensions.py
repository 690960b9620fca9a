"""What the clock of a run asks Scrapy's settings for."""

from __future__ import annotations

import logging

from scrapy.settings import Settings

from focuscrawl.extensions import asks_for_debug
from tests.tables import each_row


@each_row(
    ("level", "asks"),
    [("DEBUG", True), ("debug", True), (logging.DEBUG, True), (5, True), ("INFO", False),
     ("WARNING", False), (logging.INFO, False), ("LOUD", False)],
)  # fmt: skip
def test_lines_for_each_page_are_asked_for_by_the_level(level: object, asks: bool) -> None:
    assert asks_for_debug(Settings({"LOG_LEVEL": level})) is asks
