"""The revisit benchmarks run at a small size and print the figures that are promised."""

import pytest

from tests.benchmarks.figures import printed


def test_index_keeps_copies_fresher_than_others_over_a_real_store(
    pytestconfig: pytest.Config,
) -> None:
    figures = printed(pytestconfig, "freshness", "--budgets", "0.7", "--pages", "150")
    assert 1 < figures["staleness_0.7"] < 1.3
    assert figures["index_0.7"]["staleness"] < figures["tx_0.7"]["staleness"]
    assert figures["better_than_round_robin_everywhere"]
    assert figures["signals_better_everywhere"]
    assert figures["used_0.7"] >= 0.98
    assert figures["loss"] <= 0.01
    assert figures["lost_pages"] == 0


def test_costs_of_revisits_are_printed(pytestconfig: pytest.Config) -> None:
    figures = printed(pytestconfig, "revisit_cost", "--pages", "10000")
    assert figures["pages"] == 10_000
    assert 0 < figures["rule_us"] < figures["update_us"]
    assert 0 < figures["due_us"] < figures["taken_us"]
    assert 0 < figures["bare_bytes"] < figures["page_bytes"] < 2_000
