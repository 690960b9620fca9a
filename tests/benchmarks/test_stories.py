"""The benchmark of stories runs at a small size and prints the figures that are promised."""

import json
import subprocess
import sys
from random import Random

import pytest

from benchmarks.parts.articles_alike import COPIES, article


def test_stories_prints_its_figures(pytestconfig: pytest.Config) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.stories", "--articles", "200", "--copied", "40"],
        cwd=pytestconfig.rootpath,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout.splitlines()[-1])
    assert figures["recall"] >= 0.97
    assert figures["wrong"] == 0.0
    assert 0 < figures["candidates"] < 10
    assert figures["lookup_ms"] > 0
    assert figures["recall"] >= figures["strict"]["recall"]


def test_the_same_number_is_the_same_article_and_copies_have_their_kind() -> None:
    made = article(7)
    assert made == article(7) != article(8)
    lengths = {kind: len(copy(made, Random(1)).text) for kind, copy in COPIES.items()}
    assert lengths["lead"] < lengths["trim"] < len(made.text) < lengths["light"]
