"""The example of method B in docs/methods.md does what it says."""

import re

import pytest


def test_the_documented_example_runs(pytestconfig: pytest.Config) -> None:
    page = (pytestconfig.rootpath / "docs/methods.md").read_text(encoding="utf-8")
    (example,) = [
        code
        for code in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        if "focuscrawl.revisit" in code
    ]
    known: dict[str, object] = {}
    exec(example, known)
    assert "agenda" in known
