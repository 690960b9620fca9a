"""``scrapy crawl``: checks what can be wrong before it begins; the exit status says how it ended."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcessBase
from scrapy.settings import BaseSettings

from focuscrawl.config import ConfigError, environment_in_use, project_dir, read_config
from focuscrawl.kernel.figures import EXIT_USAGE
from focuscrawl.kernel.run import Run
from focuscrawl.locale.messages import _
from focuscrawl.output.notify.start_failures import mistakes_of
from focuscrawl.output.summary.logs import check_log, set_live
from focuscrawl.spiders.topic import CHECKED, TEMPLATE_ARGUMENT, TopicSpider
from focuscrawl.template.load import LoadedTemplate, is_inline, load, reach_of
from focuscrawl.template.template import language_in_use
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.verbs.start_notices import StartNotices

logger = logging.getLogger(__name__)


def _is_seen() -> bool:
    """Whether a person sees how a crawl begins; the stderr of a cloud may have no ``isatty``."""
    return bool(getattr(sys.stderr, "isatty", bool)())


def crawl(process: CrawlerProcessBase, name: str, arguments: dict[str, Any]) -> int:
    """Run a topic, or a spider of the project; return the exit status."""
    try:
        check_log()
    except ConfigError as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    try:
        spider = process.spider_loader.load(name)
        loaded = None
        if issubclass(spider, TopicSpider):
            loaded = checked_template(spider, arguments, process.settings)
        read_config(process.settings, os.environ, project_dir())
    except (KeyError, TemplateErrors, ConfigError) as error:
        print(error, file=sys.stderr)
        if (mistakes := mistakes_of(error)) and not _is_seen():
            with suppress(ConfigError):
                _notices(process).fail(name, mistakes)
        if process.settings["LOG_FILE"]:  # of a job: its mistakes are looked for there
            logger.error("%s", error)
        return EXIT_USAGE
    set_live(process.settings)
    crawler = process.create_crawler(spider)
    if loaded and not spider.custom_settings:  # which might name other features or a proxy
        CHECKED[crawler] = loaded
    notices = _notices(process)
    if not _is_seen():
        notices.watch(crawler, spider, name)
    process.crawl(crawler, **arguments)
    process.start()
    notices.wait()
    return 1 if process.bootstrap_failed else Run.exit_code_of(crawler)


def _notices(process: CrawlerProcessBase) -> StartNotices:
    config = read_config(process.settings, os.environ, project_dir())
    return StartNotices(config, process.settings, os.environ)


def checked_template(
    spider: type[TopicSpider], arguments: Mapping[str, Any], settings: BaseSettings
) -> LoadedTemplate:
    """Load a spider's template as the crawl will. Raises TemplateErrors, ConfigError."""
    values = dict(arguments)
    source: str | Path = values.pop(TEMPLATE_ARGUMENT, "") or spider.template_path
    if not source:
        raise ConfigError(
            _(
                "scrapy crawl topic needs -a template=PATH or an inline template; scrapy list shows"
                " the topics that have a name"
            )
        )
    if not is_inline(str(source)):
        source = Path(source)
    language = language_in_use(settings, os.environ)
    reach = reach_of(settings, source)
    environment = environment_in_use(settings, os.environ)
    return load(source, values, environment, reach=reach, language=language)
