"""The console script ``focuscrawl``: Scrapy's command line that works outside a project too.

The settings are those Scrapy itself would take: SCRAPY_SETTINGS_MODULE, else the nearest
scrapy.cfg. Only where neither names any, focuscrawl.settings is used, so that
``focuscrawl demo`` and ``focuscrawl crawl topic -a template=food.toml`` need no project folder,
and another project keeps its own settings.
"""

from __future__ import annotations

import os

from scrapy.cmdline import execute
from scrapy.utils.conf import init_env

SETTINGS_VARIABLE = "SCRAPY_SETTINGS_MODULE"


def main() -> None:
    """Run ``scrapy`` with the arguments of the process.

    Ends the process with the exit status of the command, as Scrapy does.
    """
    # Reads scrapy.cfg and puts its folder on sys.path; does nothing to a variable that is set.
    init_env(os.environ.get("SCRAPY_PROJECT", "default"))
    os.environ.setdefault(SETTINGS_VARIABLE, "focuscrawl.settings")
    execute()
