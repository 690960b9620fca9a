"""Scrapy Cloud's contract with a container, without the cloud: its own entry points, offline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.program

Records = dict[str, list[Any]]


def run(
    program: str, folder: Path, egg: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run one entry point of scrapinghub-entrypoint-scrapy with the egg, as the cloud does."""
    # By a shell that forks: the peak of memory that the cloud's own limit looks at begins with that of
    # the process which started it, and that of these tests is above the limit.
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0"; exit $?', Path(sys.executable).with_name(program)],
        cwd=folder,
        env=os.environ
        | {"PYTHONPATH": str(egg), "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def start_crawl(
    folder: Path, egg: Path, job: dict[str, Any], settings: dict[str, Any], **environment: str
) -> Records:
    """Run a job; what it wrote into the cloud's pipe by kind (ITM, REQ, LOG, STA, FIN)."""
    pipe = folder / "pipe"
    pipe.touch()
    run(
        "start-crawl",
        folder,
        egg,
        SHUB_FIFO_PATH=str(pipe),
        SHUB_JOB_DATA=json.dumps({"key": "1/2/3", "auth": "x", "tags": ["t"], **job}),
        SHUB_SETTINGS=json.dumps(settings),
        **environment,
    )
    records: Records = {}
    for line in pipe.read_text(encoding="utf-8").splitlines():
        kind, _, value = line.partition(" ")
        records.setdefault(kind, []).append(json.loads(value))
    return records


def work_folder(tmp_path: Path) -> Path:
    """Make the empty folder a job runs in."""
    folder = tmp_path / "job"
    folder.mkdir()
    return folder


def test_a_topic_given_inline_runs_as_a_cloud_job(
    egg: Path, template: str, tmp_path: Path, requested: list[str]
) -> None:
    folder = work_folder(tmp_path)
    records = start_crawl(
        folder,
        egg,
        {"spider": "topic", "spider_args": {"template": template, "limits.pages": "6"}},
        {
            "project_settings": {"FOCUSCRAWL_DATA_DIR": "never-here", "DOWNLOAD_TIMEOUT": 9},
            "job_settings": {"FOCUSCRAWL_DATA_DIR": str(tmp_path / "data")},
        },
    )
    assert records["FIN"] == [{"outcome": "finished"}]
    assert len(requested) == 6
    articles = [item for item in records["ITM"] if item["_type"] == "Article"]
    assert len(articles) == 5
    assert all("批食品抽检结果公布" in article["title"] for article in articles)
    assert (tmp_path / "data" / "food.db").exists()
    assert not (folder / "never-here").exists()


def test_a_topic_of_the_image_runs_by_its_name(
    egg: Path, topics: Path, tmp_path: Path, requested: list[str]
) -> None:
    records = start_crawl(
        work_folder(tmp_path),
        egg,
        {"spider": "food", "spider_args": {"limits.pages": "3"}},
        {"job_settings": {"FOCUSCRAWL_DATA_DIR": str(tmp_path / "data")}},
        FOCUSCRAWL_TOPICS=str(topics),
    )
    assert records["FIN"] == [{"outcome": "finished"}]
    assert len(requested) == 3


def test_the_image_tells_the_cloud_its_topics(egg: Path, topics: Path, tmp_path: Path) -> None:
    done = run("shub-image-info", work_folder(tmp_path), egg, FOCUSCRAWL_TOPICS=str(topics))
    image = json.loads(done.stdout.strip().splitlines()[-1])
    assert image["project_type"] == "scrapy"
    assert "food" in image["spiders"]
