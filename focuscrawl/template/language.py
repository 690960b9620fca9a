"""Every table of the language, in the order of its documentation.

Loading, messages, ``scrapy topic schema`` and ``show``, and the check of docs/template.md follow
from this list. Each table is declared in the folder of what it is about, in its ``table.py``.
"""

from __future__ import annotations

from focuscrawl.articles.table import ArticleTable
from focuscrawl.explore.table import Explore
from focuscrawl.frontier.table import Queues
from focuscrawl.links.table import Follow, Url
from focuscrawl.politeness.table import PolitenessTable, Request
from focuscrawl.records.table import RecordField, RecordTable
from focuscrawl.relevance.table import Relevance
from focuscrawl.revisit.table import CLASSES, Revisit
from focuscrawl.search.table import EngineTable, Search
from focuscrawl.stories.table import StoryRules
from focuscrawl.template.keys import Language
from focuscrawl.template.output import FeedTable, Output
from focuscrawl.template.site import Select, SiteTable
from focuscrawl.template.table import Limits, Settings, Source, Top, Topic

LANGUAGE = Language(
    (
        Top, Topic, Source, Search, EngineTable, Follow, Url, Relevance, Explore, ArticleTable, StoryRules,
        RecordTable, RecordField, Queues, Revisit, *CLASSES, PolitenessTable, Request, Limits, Output, FeedTable,
        SiteTable, Select, Settings,
    ),
    refused={
        "SCHEDULER": "focuscrawl is its scheduler",
        "SPIDER_MODULES": "it is read before a topic is; set it in settings.py",
        "SPIDER_LOADER_CLASS": "it is read before a topic is; set it in settings.py",
        "COMMANDS_MODULE": "it is read before a topic is; set it in settings.py",
    },
)  # fmt: skip
