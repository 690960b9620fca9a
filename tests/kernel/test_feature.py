"""Features: their order, and that only hooks somebody has overridden are called."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.test import get_crawler

from focuscrawl.config import ConfigError
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.kernel.feature import Feature, Hooks, in_order
from focuscrawl.kernel.opening import run_start
from focuscrawl.kernel.run import Run
from focuscrawl.template.load import load

TURNS = """\
readers: withheld, revisit, articles, site_layouts, records, forums, signals
alone: explore
shared_numbers: revisit, explore, words
changed: baseline, articles, explore, records
memories: addresses, soft_404, revisit, articles, site_layouts, explore, signals, politeness
open: revisit, baseline, articles, explore, forums, signals, politeness, sources
release: addresses, revisit, articles, forums, signals, sources
begin: revisit, baseline, articles, signals
take_order: explore
go_on: revisit, articles, signals
before_fetch: revisit, baseline
answered: revisit, politeness
robots_read: signals
before_read: revisit, forums
correct_url: revisit, baseline, articles
doubt: withheld, soft_404, articles, forums
shows_known: forums
again: revisit, articles
held_for: revisit
judged: addresses, soft_404, revisit, articles, site_layouts, explore, records, forums, words, unrecognised, sources
given: stories, sources
before_links: forums, stories
links: revisit, forums
admitted: addresses, revisit, forums, sources
after_links: signals
compare: revisit
join: articles, stories
keep: revisit, articles, site_layouts, records
lost: revisit, articles
visits_wait: forums, signals
put_off: forums, signals
ending: soft_404, revisit
acknowledged: explore
settle: addresses, withheld, revisit
ended: articles, forums, signals, politeness, sources
note: revisit, explore
commit: records, stories
committed: stories
tick: revisit, site_layouts, politeness
idle: soft_404, revisit, articles, site_layouts, explore
figures: revisit
site: explore, politeness
findings: withheld, words, unrecognised, sources
groups: words
summary: revisit, report
closing: report
explain: addresses, revisit, articles, site_layouts, explore, politeness
"""
"""Who has a turn at which moment, for every topic; one that does not explore, or has no words, leaves that out. Whoever changes it says in the commit why."""


def named(name: str, *after: str) -> type[Feature]:
    """Make a feature that does nothing."""
    return type(name, (Feature,), {"name": name, "after": after})


def without(name: str, turns: str) -> str:
    """Return the turns of a topic that does not want one of the features."""
    lines = re.sub(rf"\b{name}, |, {name}\b", "", turns).splitlines(keepends=True)
    return "".join(line for line in lines if not line.endswith(f": {name}\n"))


def test_features_have_their_turn_in_this_order_for_every_shipped_topic(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    for path in sorted((pytestconfig.rootpath / "examples").glob("*.toml")):
        template = load(path).template
        crawler = get_crawler(settings_dict={"FOCUSCRAWL_DATA_DIR": str(tmp_path)})
        run = Run.begin(crawler, template.name, template)
        turns = TURNS if template.of(ExploreTable).enabled else without("explore", TURNS)
        if not (template.topic.keywords or template.topic.require):
            turns = without("words", turns)
        assert "".join(f"{line}\n" for line in run.hooks.in_words()) == turns


def test_no_two_memories_write_the_same_part_of_a_sites_record(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    template = load(pytestconfig.rootpath / "examples/blogs.toml").template
    crawler = get_crawler(settings_dict={"FOCUSCRAWL_DATA_DIR": str(tmp_path)})
    run = Run.begin(crawler, template.name, template)
    parts = [memory.part for memories in run.hooks.memories for memory in memories()]
    assert len(parts) > len(run.hooks.memories)
    assert len({*parts}) == len(parts)


def test_a_hook_that_nobody_overrides_is_nobody() -> None:
    class Reader(Feature):
        name = "reader"

        def figures(self) -> dict[str, float]:
            return {"read": 3.0}

    hooks = Hooks([Reader(Mock())])
    assert [figures() for figures in hooks.figures] == [{"read": 3.0}]
    assert hooks.judged == hooks.ended == hooks.open == ()
    assert hooks.feature(Reader).name == "reader"
    with pytest.raises(LookupError, match="other"):
        hooks.feature(named("other"))


@given(st.permutations("abcdef"), st.data())
def test_each_feature_stands_behind_those_it_names(names: list[str], data: st.DataObject) -> None:
    """What is named always stands before it in ``names``, so that there is an order."""
    wishes = {
        name: data.draw(st.sets(st.sampled_from([*names[:place], "elsewhere"])))
        for place, name in enumerate(names)
    }
    features = data.draw(st.permutations([named(name, *wishes[name]) for name in names]))
    order = [feature.name for feature in in_order(features)]
    assert sorted(order) == sorted(names)
    for name, wanted in wishes.items():
        for one in wanted - {"elsewhere"}:
            assert order.index(one) < order.index(name)


def test_features_that_wait_for_each_other_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="wait for each other: a, b"):
        in_order([named("a", "b"), named("b", "a"), named("c")])


def test_nobody_crawls_without_saying_how_politely(tmp_path: Path) -> None:
    off = {"focuscrawl.politeness.SitePoliteness": None}
    settings = {"FOCUSCRAWL_DATA_DIR": str(tmp_path), "FOCUSCRAWL_FEATURES": off}
    with pytest.raises(ConfigError, match="politeness may be replaced, not switched off"):
        Run.begin(get_crawler(settings_dict=settings), "own", None)


def test_runs_of_one_seed_draw_the_same_and_each_stores_its_own(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    template = load(pytestconfig.rootpath / "examples/blogs.toml").template

    def run(**settings: object) -> Run:
        given = {"FOCUSCRAWL_DATA_DIR": str(tmp_path), **settings}
        return Run.begin(get_crawler(settings_dict=given), template.name, template)

    seeded = [run(FOCUSCRAWL_SEED=7) for _ in range(2)]
    assert len({one.run.random.random() for one in seeded}) == 1
    assert len({one.run.run_id for one in seeded}) == 2
    free = [run() for _ in range(2)]
    assert len({one.run.random.random() for one in free}) == 2
    for one in (*seeded, *free):
        stored = run_start(one.run, template).versions["seed"]
        assert stored == one.run.seed
        assert one.run.seed == 7 or one in free
