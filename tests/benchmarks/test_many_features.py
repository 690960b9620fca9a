"""A feature that is off is not in the process, and costs are printed of those that are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Printed

pytestmark = [pytest.mark.program, pytest.mark.long_form]  # half a minute

SHARED = {
    "features/revisit/visits.py",
    "features/revisit/policies.py",
    "features/revisit/conditions.py",
    "features/revisit/change/volatile.py",
    "kernel/tickets.py",
    "features/search/engines.py",
    "readers/relevance/scores.py",
}
"""What the kernel and the template use of these folders, whether their features are on or off."""


def test_a_feature_that_is_off_is_not_imported_and_nothing_of_it_is_called(
    printed: Printed,
) -> None:
    figures = printed("many_features", "--quick", "--crawled", "40")
    assert figures["imported"] == []
    called = {file for files in figures["called"].values() for file in files}
    assert {file for file in called if not file.startswith("readers/links/")} <= SHARED
    assert "features/addresses/feature.py" not in called, (
        "the rest of links admits links, whoever is on"
    )
    assert 0 < figures["none"] < figures["all"]
    assert figures["articles_ms"] > 0
    assert figures["pages"] == 40
