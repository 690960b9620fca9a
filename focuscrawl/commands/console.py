"""The console script ``focuscrawl``: Scrapy's command line that works outside a project too.

The settings are those Scrapy itself would take: SCRAPY_SETTINGS_MODULE, else the nearest
scrapy.cfg. Only where neither names any, focuscrawl.settings is used, so that
``focuscrawl demo`` and ``focuscrawl crawl topic -a template=food.toml`` need no project folder,
and another project keeps its own settings.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from scrapy.cmdline import execute
from scrapy.utils.conf import init_env

from focuscrawl.locale.messages import _

SETTINGS_VARIABLE = "SCRAPY_SETTINGS_MODULE"
UNWRITTEN_STATUS = 2
"""The exit status of what could not be printed, as of a file that could not be written."""


def main() -> None:
    """Run ``scrapy`` with the arguments of the process.

    Ends the process with the exit status of the command, as Scrapy does.
    """
    # Reads scrapy.cfg and puts its folder on sys.path; does nothing to a variable that is set.
    init_env(os.environ.get("SCRAPY_PROJECT", "default"))
    os.environ.setdefault(SETTINGS_VARIABLE, "focuscrawl.settings")
    with while_read():
        execute()


@contextmanager
def while_read() -> Iterator[None]:
    """Print to stdout as long as it has a reader: ``scrapy topic show metro | head`` is no mistake.

    When the reader has gone the rest is printed nowhere, and the exit status is the command's own. Where
    stdout is a file on a full disk, one line reports it and the process ends with UNWRITTEN_STATUS.
    """
    try:
        yield
    except BrokenPipeError:
        _print_nowhere()
    except OSError as error:
        if _can_print():
            raise
        _end_unwritten(error)
    finally:
        try:
            # stdout is None where the program began without it, and closed where writing its file has failed.
            if sys.stdout and not sys.stdout.closed:
                sys.stdout.flush()
        except BrokenPipeError:
            _print_nowhere()
        except OSError as error:
            _end_unwritten(error)


def _can_print() -> bool:
    """Whether stdout takes a line: nothing unwritten may be left in its buffer to try again."""
    try:
        print(flush=True)
    except OSError:
        return False
    return True


def _end_unwritten(error: OSError) -> NoReturn:
    _print_nowhere()
    told = _("the standard output cannot be written: {reason}").format(reason=error.strerror)
    print(told, file=sys.stderr)
    sys.exit(UNWRITTEN_STATUS)


def _print_nowhere() -> None:
    """Let stdout lead nowhere, else Python tries once more to print the rest when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    with suppress(OSError):
        sys.stdout.flush()
