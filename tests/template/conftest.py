"""A project's folder of topics."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "topics").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "topics"
