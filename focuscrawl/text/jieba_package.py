"""The jieba package: its code imported quietly, its data files read without its code."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec, module_from_spec
from typing import Any


def jieba_file(*names: str) -> Traversable:
    """Return a file of the installed package; its code, which is large and slow, is not run."""
    spec = find_spec("jieba")
    if spec is None:
        raise ModuleNotFoundError(
            "jieba is not installed: its dictionaries are needed", name="jieba"
        )
    return files(module_from_spec(spec)).joinpath(*names)


@contextmanager
def quietly() -> Iterator[None]:
    """Surround the import of jieba or simhash.

    Both have invalid escapes, which newer Pythons warn about, and jieba asks for pkg_resources,
    which warns that it is going.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def load_jieba() -> Any:
    """Import jieba; it then writes to the log like others, not to stderr by itself."""
    with quietly():
        import jieba  # noqa: PLC0415 - large, and needed only where there is no rjieba
    jieba.setLogLevel(logging.WARNING)
    jieba.default_logger.removeHandler(jieba.log_console)
    return jieba
