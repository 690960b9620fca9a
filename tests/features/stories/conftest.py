"""A desk for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.stories.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "topic.crawl.db")
    yield made
    made.store.release()
