"""Reports in a browser: nothing is said on its console, nothing is asked for, nothing overflows, all lists open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from selenium.webdriver import Chrome

REPORTS = ("demo", "days", "hostile", "stored", "many")

OVERFLOWING = """
const wide = document.documentElement.clientWidth;
const scrolls = one => { for (let up = one; up; up = up.parentElement)
    if (up.classList && up.classList.contains('wide')) return true; return false };
return [...document.querySelectorAll('body *')].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && (box.right > wide + 1 || box.left < -1) && !scrolls(one);
}).map(one => one.outerHTML.slice(0, 200));
"""

OPEN_ALL = """
const closed = [...document.querySelectorAll('details:not([open])')];
closed.forEach(one => one.querySelector('summary').click());
return [...document.querySelectorAll('details')].filter(
    one => !one.open || !one.querySelector('.inside').getBoundingClientRect().height
).map(one => one.id);
"""


class Look(NamedTuple):
    """How a page is looked at."""

    width: int
    scheme: str
    media: str = "screen"


LOOKS = {
    "light": Look(1280, "light"),
    "dark": Look(1280, "dark"),
    "phone": Look(390, "light"),
    "dark phone": Look(390, "dark"),
    "print": Look(794, "light", "print"),
}


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Path:
    """Return the file of a report by its name."""
    written: Path = request.getfixturevalue(f"{request.param}_report")
    return written


def look_at(browser: Chrome, page: Path, look: Look) -> None:
    """Open a page, and forget what was logged before."""
    browser.get("about:blank")
    features = [{"name": "prefers-color-scheme", "value": look.scheme}]
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"media": look.media, "features": features}
    )
    size = {"width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    logged(browser, "browser")
    logged(browser, "performance")
    browser.get(page.as_uri())


def logged(browser: Chrome, kind: str) -> list[dict[str, Any]]:
    """Return what was logged since this was asked last."""
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def asked_for(browser: Chrome) -> set[str]:
    """Return what the browser has asked for since it was looked at."""
    messages = [json.loads(entry["message"])["message"] for entry in logged(browser, "performance")]
    return {
        one["params"]["request"]["url"]
        for one in messages
        if one["method"] == "Network.requestWillBeSent"
    }


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("report", REPORTS, indirect=True)
def test_a_report_is_whole_in_a_browser(browser: Chrome, report: Path, look: str) -> None:
    look_at(browser, report, LOOKS[look])
    assert not browser.execute_script(OVERFLOWING)
    assert browser.execute_script(OPEN_ALL) == []
    assert not browser.execute_script(OVERFLOWING)
    assert browser.execute_script("return document.querySelectorAll('details').length") > 3
    assert logged(browser, "browser") == []
    assert asked_for(browser) == {report.as_uri()}


@pytest.mark.parametrize("report", ["hostile", "stored"], indirect=True)
def test_what_pages_said_does_nothing(browser: Chrome, report: Path) -> None:
    look_at(browser, report, LOOKS["light"])
    assert "focuscrawl" in browser.execute_script("return document.body.innerText")
    assert browser.execute_script("return document.scripts.length") == 0
    assert "<script>" in browser.execute_script("return document.body.textContent")
    links = browser.execute_script("return [...document.links].map(one => one.protocol)")
    assert set(links) <= {"http:", "https:", "file:"}  # those of file lead to parts of the page


def test_the_page_is_dark_where_that_is_preferred(browser: Chrome, demo_report: Path) -> None:
    colours = set()
    for look in ("light", "dark"):
        look_at(browser, demo_report, LOOKS[look])
        colours.add(
            browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        )
    assert colours == {"rgb(251, 250, 247)", "rgb(22, 21, 19)"}


def test_on_paper_the_rows_of_closed_lists_are_there(browser: Chrome, demo_report: Path) -> None:
    look_at(browser, demo_report, LOOKS["print"])
    hidden = browser.execute_script(
        "return [...document.querySelectorAll('details:not([open]) .inside')]"
        ".filter(one => !one.getBoundingClientRect().height).length"
    )
    assert hidden == 0


def test_numbers_above_what_is_new_lead_to_it(browser: Chrome, stored_report: Path) -> None:
    look_at(browser, stored_report, LOOKS["light"])
    lost = browser.execute_script(
        "return [...document.querySelectorAll('.tiles a')]"
        ".filter(one => !document.getElementById(one.hash.slice(1))).length"
    )
    assert lost == 0
