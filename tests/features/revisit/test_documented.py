"""The agenda alone, as docs/pieces.md shows it, does what it says."""

import re

import pytest


def test_the_documented_example_runs(pytestconfig: pytest.Config) -> None:
    page = (pytestconfig.rootpath / "docs/pieces.md").read_text(encoding="utf-8")
    (example,) = [
        code
        for code in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        if "focuscrawl.features.revisit" in code
    ]
    known: dict[str, object] = {}
    exec(example, known)
    assert "agenda" in known
