"""Rows are at hand from their adding to their commit; of those that explore, the latest stay."""

from __future__ import annotations

import pytest

from focuscrawl.frontier import rows as rows_module
from focuscrawl.frontier.rows import Rows
from focuscrawl.stores.state.protocol import Row
from focuscrawl.values import Waiting


def row(sequence: int, *, explores: bool = True) -> Row:
    url = f"http://a.cn/{sequence}"
    return Row(sequence, Waiting(url, b"k", "a.cn", 1, 1, explore=explores))


def exploring() -> Rows:
    rows = Rows()
    rows.explores = True
    return rows


def committed(rows: Rows, *added: Row) -> None:
    """Add rows and let the store have them."""
    for one in added:
        rows.fresh[one.sequence] = one
    rows.drained()
    assert all(rows.at_hand(one.sequence) == one for one in added), "until the store has them"
    rows.committed()


def test_rows_that_explore_need_not_be_read_back_soon_after_their_commit() -> None:
    rows = exploring()
    committed(rows, row(1), row(2, explores=False))
    assert rows.at_hand(1) == row(1)
    assert rows.at_hand(1) is None, "it was taken"
    assert rows.at_hand(2) is None


def test_few_rows_are_kept_and_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "MOST_AHEAD", 4)
    rows = exploring()
    for sequence in range(1, 20):
        committed(rows, row(sequence))
        assert len(rows.ahead) <= 4
    assert rows.at_hand(19) == row(19)
    assert rows.at_hand(1) is None


def test_a_row_that_has_ended_or_changed_is_not_kept_as_it_was() -> None:
    rows = exploring()
    committed(rows, row(1), row(2))
    assert rows.forget(1)
    assert rows.at_hand(1) is None
    changed = row(2)._replace(tries=1)
    rows.replace(changed)
    assert rows.at_hand(2) == changed
