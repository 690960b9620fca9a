"""Two workers find one record at once: what each says of it is there, whoever was first."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event

from focuscrawl.stores.results.writing import ResultBatch
from tests.stores.results.test_clashes import together
from tests.stores.results.test_records import open_results, record, row

if TYPE_CHECKING:
    from focuscrawl.stores.results.results import Results
    from tests.databases import Database

pytestmark = pytest.mark.C7

ITS_TURN = 0.7
"""Seconds for which the first leaves the second the time to get in between."""


class Slow:
    """Lets a transaction stand still once it has written a record and is not committed."""

    def __init__(self, results: Results) -> None:
        self.has_written = threading.Event()
        event.listen(results._engine, "commit", self._stand_still)

    def _stand_still(self, _connection: Any) -> None:
        if not self.has_written.is_set():
            self.has_written.set()
            threading.Event().wait(ITS_TURN)


@pytest.mark.parametrize("is_known", [False, True], ids=["new", "stored"])
def test_no_worker_overwrites_what_another_says_of_a_record(
    database: Database, is_known: bool
) -> None:
    outcomes = []
    with open_results(database) as one, open_results(database) as other:
        if is_known:
            one.write(ResultBatch(records=[record("c", name="云杉")]))
        slow = Slow(one)

        def second() -> None:
            slow.has_written.wait(30)
            written = other.write(ResultBatch(records=[record("b", fax="028-9")]))
            outcomes.append(written.of("records"))

        def first() -> None:
            written = one.write(ResultBatch(records=[record("a", phone="028-1")]))
            outcomes.append(written.of("records"))

        assert together(first, second) == []
    found = row(database)
    assert found["data"] == ({"name": "云杉"} if is_known else {}) | {
        "phone": "028-1",
        "fax": "028-9",
    }
    assert found["version"] == 2 + is_known
    assert sum(len(one.new) for one in outcomes) == 1 - is_known
    assert sum(len(one.changed) for one in outcomes) == 1 + is_known
