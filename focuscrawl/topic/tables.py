"""Every table of the language, in the order of its documentation.

Loading, messages, ``scrapy topic schema`` and ``show``, and the check of docs/template.md follow
from this list. Each table is declared in the folder of what it is about, in its ``table.py``.
"""

from __future__ import annotations

from focuscrawl.articles.table import Article
from focuscrawl.explore.table import Explore
from focuscrawl.frontier.table import Queues
from focuscrawl.links.table import Follow, Url
from focuscrawl.politeness.table import Politeness, Request
from focuscrawl.records.table import Record, RecordField
from focuscrawl.relevance.table import Relevance
from focuscrawl.revisit.table import CLASSES, Revisit
from focuscrawl.search.table import Engine, Search
from focuscrawl.stories.table import Stories
from focuscrawl.template.keys import Form
from focuscrawl.topic.output import Feed, Output
from focuscrawl.topic.site import BROWSER, SITE
from focuscrawl.topic.table import Limits, Settings, Source, Top, Topic

TABLES: tuple[Form, ...] = (
    Top.form,
    Topic.form,
    Source.form,
    Search.form,
    Engine.form,
    Follow.form,
    Url.form,
    Relevance.form,
    Explore.form,
    Article.form,
    Stories.form,
    Record.form,
    RecordField.form,
    Queues.form,
    Revisit.form,
    *CLASSES,
    Politeness.form,
    Request.form,
    Limits.form,
    Output.form,
    Feed.form,
    SITE,
    Settings.form,
)

ENGINES, RECORD, RECORD_FIELDS = Engine.form.path, Record.form.path, RecordField.form.path

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
