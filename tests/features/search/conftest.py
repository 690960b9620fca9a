"""What several tests of searches start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.features.search.cycles import LAYERS, A, B, Crawl


@pytest.fixture
def layered(tmp_path: Path) -> Crawl:
    """Two companies, each with a page of contacts, and one page that both link to."""
    crawl = Crawl(tmp_path, LAYERS)
    crawl.shown = [A, B]
    crawl.web = {A: [f"{A}1", f"{A}2", f"{B}both"], B: [f"{B}1", f"{B}both"]}
    crawl.web |= {url: [] for url in (f"{A}1", f"{A}2", f"{B}1", f"{B}both")}
    return crawl
