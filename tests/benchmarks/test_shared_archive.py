"""The web of the demo by one process, by three workers, and by one crawl that moves there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Printed

pytestmark = [pytest.mark.B1, pytest.mark.long_form, pytest.mark.program]


def test_three_workers_and_a_crawl_that_moves_find_what_one_finds(printed: Printed) -> None:
    figures = printed("shared_archive", "--quick")
    assert figures["articles"] > 20
    assert figures["stories"] > 20
    assert figures["pages"] > 150
    for arm in ("three", "moved"):
        assert figures[arm]["same"], figures[arm]
        assert not figures[arm]["in_order"], figures[arm]
        assert figures[arm]["asked"] >= figures["asked"]
    assert all(figures["three"]["by_worker"]), "each had its part"
