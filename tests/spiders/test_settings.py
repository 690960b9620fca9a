"""What Scrapy is told so that a template holds."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.core.downloader import Slot
from scrapy.settings import Settings, default_settings

from focuscrawl import __version__
from focuscrawl.config import ConfigError
from focuscrawl.features.politeness.sites import extras_of
from focuscrawl.spiders.settings import scrapy_settings, slot_delay
from focuscrawl.template.load import load
from focuscrawl.template.template import Template, language_in_use, language_of

pytestmark = pytest.mark.C3


def settings(text: str = "", environment: dict[str, str] | None = None) -> dict[str, object]:
    source = '[[source]]\nurl = "https://a.cn/"\n'
    return scrapy_settings(load(f'topic.name = "x"\n{text}\n{source}', {}, environment).template)


def test_every_key_of_the_language_reaches_scrapy() -> None:
    found = settings(
        "[politeness]\ndelay = '4s'\nconcurrency = 2\nrobots = false\n[limits]\ntime = '3m'\n[follow]\ndepth = 6\n"
        "[settings]\nRANDOMIZE_DOWNLOAD_DELAY = false\nCONCURRENT_REQUESTS = 9\nDOWNLOAD_TIMEOUT = 60\n"
        "RETRY_TIMES = 1\nDOWNLOAD_MAXSIZE = 5_000_000\nURLLENGTH_LIMIT = 700\n"
    )
    expected = {
        "DOWNLOAD_DELAY": 4.0, "DOWNLOAD_DELAY_JITTER": 0.0, "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "CONCURRENT_REQUESTS": 9, "ROBOTSTXT_OBEY": False, "ROBOTSTXT_USER_AGENT": "focuscrawl",
        "DOWNLOAD_TIMEOUT": 60.0, "RETRY_TIMES": 1, "CLOSESPIDER_TIMEOUT": 180.0,
        "DOWNLOAD_MAXSIZE": 5_000_000, "DEPTH_LIMIT": 6, "URLLENGTH_LIMIT": 700,
    }  # fmt: skip
    assert expected == {name: found[name] for name in expected}
    assert "FEEDS" not in found


def test_every_setting_a_key_stands_for_is_one_of_scrapys_and_is_set_or_ours_to_keep() -> None:
    kept_by_the_run = {f"CLOSESPIDER_{what}COUNT" for what in ("PAGE", "ITEM", "ERROR")}
    named = {setting for table in language_of().forms for key in table.keys for setting in key.sets}
    known = set(dir(default_settings))
    assert named <= known
    found = set(settings("[output.feeds.'a.csv']\n"))
    assert named - kept_by_the_run <= found
    assert found <= known


@given(st.floats(0.001, 600), st.floats(0, 1))
def test_scrapys_slot_never_waits_less_than_the_delay_nor_more_than_jitter_says(
    delay: float, jitter: float
) -> None:
    slot = Slot(1, slot_delay(delay, jitter)[0], jitter=slot_delay(delay, jitter)[1])
    drawn = [slot.download_delay() for _ in range(20)]
    assert delay * 0.999999 <= min(drawn)
    assert max(drawn) <= delay * (1 + jitter) * 1.000001


def test_the_slots_drawn_delays_fill_the_range() -> None:
    delay, jitter = slot_delay(2.0, 0.5)
    slot = Slot(1, delay, jitter=jitter)
    random.seed(1)
    drawn = [slot.download_delay() for _ in range(500)]
    assert min(drawn) < 2.05
    assert max(drawn) > 2.95


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("", f"focuscrawl/{__version__}"),
        ("[politeness]\ncontact = 'mailto:a@b.cn'", f"focuscrawl/{__version__} (+mailto:a@b.cn)"),
        ("[politeness]\ncontact = 'mailto:a@b.cn'\nuser_agent = 'mine/1'", "mine/1"),
    ],
)
def test_the_user_agent_names_us_and_whom_to_ask(text: str, agent: str) -> None:
    assert settings(text)["USER_AGENT"] == agent


def test_a_browser_is_imitated_but_robots_are_ours() -> None:
    found = settings("[politeness]\nuser_agent = 'browser'")
    headers = found["DEFAULT_REQUEST_HEADERS"]
    assert str(found["USER_AGENT"]).startswith("Mozilla/5.0")
    assert isinstance(headers, dict)
    assert headers["Sec-Fetch-Mode"] == "navigate"
    assert found["ROBOTSTXT_USER_AGENT"] == "focuscrawl"


@pytest.mark.parametrize(("language", "first"), [("zh", "zh-CN"), ("en", "en"), ("auto", "zh-CN")])
def test_the_language_is_asked_for(language: str, first: str) -> None:
    headers = settings(f"topic.language = '{language}'")["DEFAULT_REQUEST_HEADERS"]
    assert isinstance(headers, dict)
    assert headers["Accept-Language"].split(",")[0] == first


def test_headers_of_the_template_replace_ours_whatever_their_case() -> None:
    text = "[request]\nheaders = { accept-language = 'fr', X-A = 'env:METRO_A' }"
    headers = settings(text, {"METRO_A": "a"})["DEFAULT_REQUEST_HEADERS"]
    assert isinstance(headers, dict)
    assert "Accept-Language" not in headers
    assert headers["accept-language"] == "fr"
    assert headers["X-A"] == "a"


def test_sites_get_slots_under_all_their_names_where_politeness_differs() -> None:
    found = settings(
        "[settings]\nRANDOMIZE_DOWNLOAD_DELAY = false\n[site.'b.cn'.politeness]\ndelay = '9s'\n[site.'b.cn']\naliases = ['m.b.cn', '=b.com']\n"
        "[site.'c.cn'.politeness]\nconcurrency = 3\n[site.'d.cn']\nskip = true"
    )
    slow = {"delay": 9.0, "jitter": 0.0, "concurrency": 1}
    assert found["DOWNLOAD_SLOTS"] == {
        "b.cn": slow,
        "m.b.cn": slow,
        "b.com": slow,
        "c.cn": {"delay": 2.0, "jitter": 0.0, "concurrency": 3},
    }


def test_feeds_are_scrapys_feeds_but_for_the_classes_of_items() -> None:
    feeds = settings(
        "[output.feeds.'a-%(batch_id)d.csv']\noptions = { batch_item_count = 5 }\nfields = { url = '链接' }\n"
        "[output.feeds.'a.json']\nitems = ['article', 'page']\noptions = { overwrite = true }"
    )["FEEDS"]
    assert feeds == {
        "a-%(batch_id)d.csv": {
            "format": "csv",
            "items": ["article"],
            "fields": {"url": "链接"},
            "batch_item_count": 5,
        },
        "a.json": {
            "format": "json",
            "overwrite": True,
            "items": ["article", "page"],
        },
    }


def test_robots_are_read_when_only_one_site_asks_for_it() -> None:
    text = "[politeness]\nrobots = false\n[site.'b.cn'.politeness]\nrobots = "
    assert settings(f"{text}true")["ROBOTSTXT_OBEY"] is True
    assert settings(f"{text}false")["ROBOTSTXT_OBEY"] is False


def test_settings_of_the_template_come_last() -> None:
    assert settings("[settings]\nMEMUSAGE_LIMIT_MB = 7")["MEMUSAGE_LIMIT_MB"] == 7


def contacted(text: str, environment: dict[str, str]) -> tuple[Template, list[str]]:
    """Load a topic where FOCUSCRAWL_CONTACT may be set; returns it, and what it is warned of."""
    language = language_in_use(Settings(), environment)
    source = '[[source]]\nurl = "https://a.cn/"\n'
    found = load(f'topic.name = "x"\n{text}\n{source}', {}, {}, language=language)
    return found.template, [one.text for one in found.warnings if "contact" in one.text]


def test_a_contact_is_said_once_for_all_topics_and_a_topic_may_say_another() -> None:
    everybody = {"FOCUSCRAWL_CONTACT": "mailto:crawl@example.com"}
    template, warned = contacted("", everybody)
    ours = f"focuscrawl/{__version__} (+mailto:crawl@example.com)"
    assert scrapy_settings(template)["USER_AGENT"] == ours
    assert warned == []
    assert template.resolved["politeness"]["contact"] is None, "the topic is the same one"
    own = "[politeness]\ncontact = 'https://b.cn/bot'\nuser_agent = 'mine'\n"
    own += "[site.'c.cn'.politeness]\nuser_agent = 'browser'\n[site.'d.cn'.politeness]\nuser_agent = 'm2'\n"
    assert scrapy_settings(contacted(own, everybody)[0])["USER_AGENT"] == "mine"
    other, _ = contacted("[politeness]\ncontact = 'https://b.cn/bot'", everybody)
    assert str(scrapy_settings(other)["USER_AGENT"]).endswith("(+https://b.cn/bot)")
    general = (
        "[politeness]\nuser_agent = 'browser'\n[site.'c.cn'.politeness]\nuser_agent = 'mine'\n"
    )
    extras = extras_of(contacted(general, everybody)[0], "c.cn")
    assert extras is not None
    assert extras.headers["User-Agent"] == "mine"


def test_without_a_contact_both_ways_to_give_one_are_named() -> None:
    (warning,) = contacted("", {})[1]
    assert 'contact = "mailto:you@example.com"' in warning
    assert "FOCUSCRAWL_CONTACT" in warning
    with pytest.raises(ConfigError, match="FOCUSCRAWL_CONTACT = 'me': write an address with http"):
        contacted("", {"FOCUSCRAWL_CONTACT": "me"})
