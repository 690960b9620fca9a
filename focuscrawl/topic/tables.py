"""Every table and key of the template language, described once, in the order of its documentation.

Loading, messages, ``scrapy topic schema`` and ``show``, and the check of docs/template.md follow
from this list. A key names the Scrapy settings it sets. Each ``*_tables`` file holds one subject.
"""

from __future__ import annotations

from focuscrawl.topic.content_tables import (
    ARTICLE_TABLE,
    FEEDS_TABLE,
    OUTPUT_TABLE,
    RECORD_FIELDS_TABLE,
    RECORD_TABLE,
    STORIES_TABLE,
)
from focuscrawl.topic.fetch_tables import (
    LIMITS_TABLE,
    POLITENESS_TABLE,
    QUEUES_TABLE,
    REQUEST_TABLE,
)
from focuscrawl.topic.link_tables import EXPLORE_TABLE, FOLLOW_TABLE, URL_TABLE
from focuscrawl.topic.revisit_tables import REVISIT_TABLES
from focuscrawl.topic.schema import Table
from focuscrawl.topic.search_tables import ENGINE_TABLE, SEARCH_TABLE
from focuscrawl.topic.site_tables import BROWSER, SITE_TABLE
from focuscrawl.topic.topic_tables import RELEVANCE_TABLE, SOURCE_TABLE, TOP_TABLE, TOPIC_TABLE

SETTINGS_TABLE = Table(("settings",), "settings of Scrapy that no key stands for", (), "open")

TABLES: tuple[Table, ...] = (
    TOP_TABLE,
    TOPIC_TABLE,
    SOURCE_TABLE,
    SEARCH_TABLE,
    ENGINE_TABLE,
    FOLLOW_TABLE,
    URL_TABLE,
    RELEVANCE_TABLE,
    EXPLORE_TABLE,
    ARTICLE_TABLE,
    STORIES_TABLE,
    RECORD_TABLE,
    RECORD_FIELDS_TABLE,
    QUEUES_TABLE,
    *REVISIT_TABLES,
    POLITENESS_TABLE,
    REQUEST_TABLE,
    LIMITS_TABLE,
    OUTPUT_TABLE,
    FEEDS_TABLE,
    SITE_TABLE,
    SETTINGS_TABLE,
)

LATER_TABLES = {
    "render": BROWSER,
    "files": "attachments",
    "archive": "archives",
    "notify": "notifications",
}
"""Tables of the language that are not built yet, with what they come with."""

REFUSED_SETTINGS = {
    "SCHEDULER": "focuscrawl is its scheduler",
    "SPIDER_MODULES": "it is read before a topic is; set it in settings.py",
    "SPIDER_LOADER_CLASS": "it is read before a topic is; set it in settings.py",
    "COMMANDS_MODULE": "it is read before a topic is; set it in settings.py",
}
"""Scrapy settings that make no sense in a template, with the reason."""
