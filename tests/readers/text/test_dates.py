"""Dates as they are printed, and none that is not certain."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.text.dates import (
    FoundDate,
    date_in_address,
    find_dates,
    read_date,
    zone_named,
)
from tests.tables import each_row

pytestmark = pytest.mark.article_date

SHANGHAI = "Asia/Shanghai"
NOW = datetime(2026, 11, 20, 18, 20, tzinfo=ZoneInfo(SHANGHAI)).timestamp()


def when(text: str, timezone: str = SHANGHAI, now: float | None = NOW) -> str | None:
    """Return the date a text holds as local time of Shanghai, to the second."""
    found = read_date(text, timezone=timezone, now=now)
    return None if found is None else local(found)


def local(found: FoundDate) -> str:
    moment = datetime.fromtimestamp(found.seconds, UTC).astimezone(ZoneInfo(SHANGHAI))
    return moment.strftime("%Y-%m-%d %H:%M:%S")


@each_row(
    ("text", "expected"),
    [
        ("2026-11-20", "2026-11-20 00:00:00"),
        ("2026-11-20 10:05", "2026-11-20 10:05:00"),
        ("2026-11-20 10:05:33", "2026-11-20 10:05:33"),
        ("2026/1/2", "2026-01-02 00:00:00"),
        ("2026.11.20", "2026-11-20 00:00:00"),
        ("2026年11月20日10:05", "2026-11-20 10:05:00"),
        ("2026 年 11 月 20 日", "2026-11-20 00:00:00"),
        ("2026年11月20日 星期五 10:05", "2026-11-20 10:05:00"),
        ("2026年11月20号（周五）上午9:05", "2026-11-20 09:05:00"),
        ("2026-11-19 下午3:05", "2026-11-19 15:05:00"),
        ("2026-11-19 晚上11点30分", "2026-11-19 23:30:00"),
        ("2026-11-19 凌晨12:30", "2026-11-19 00:30:00"),
        ("2026-11-19 中午12:30", "2026-11-19 12:30:00"),
        ("２０２６年１１月２０日１０：０５", "2026-11-20 10:05:00"),
        ("二〇二六年十一月二十日", "2026-11-20 00:00:00"),
        ("二O二六年十一月二十日", "2026-11-20 00:00:00"),
        ("二○一〇年十月三十一日", "2010-10-31 00:00:00"),
        ("一九九八年三月五日", "1998-03-05 00:00:00"),
        ("发布时间：2026-11-20 10:05 来源：新华网", "2026-11-20 10:05:00"),
        ("20261120", "2026-11-20 00:00:00"),
        ("20261120101112", "2026-11-20 10:11:12"),
        ("2026-11-20T10:05:00+08:00", "2026-11-20 10:05:00"),
        ("2026-11-20T02:05:00Z", "2026-11-20 10:05:00"),
        ("2026-11-20T02:05:00.123Z", "2026-11-20 10:05:00"),
        ("2026-11-19T21:05:00-0500", "2026-11-20 10:05:00"),
        ("Fri, 20 Nov 2026 10:05:00 +0800", "2026-11-20 10:05:00"),
        ("Fri, 20 Nov 2026 02:05:00 GMT", "2026-11-20 10:05:00"),
        ("Fri Nov 20 10:05:00 CST 2026", "2026-11-20 10:05:00"),
        ("Nov 20, 2026", "2026-11-20 00:00:00"),
        ("Nov. 20th, 2026", "2026-11-20 00:00:00"),
        ("20 November 2026", "2026-11-20 00:00:00"),
        ("November 19, 2026 at 9:14pm", "2026-11-19 21:14:00"),
        ("November 19, 2026 10:00 AM EST", "2026-11-19 23:00:00"),
        ("19 Nov, 2026, 01:05 PM IST", "2026-11-19 15:35:00"),
        ("11/20/2026", "2026-11-20 00:00:00"),
        ("20/11/2026", "2026-11-20 00:00:00"),
        ("5/7/2005 9:23:57 PM", "2005-05-07 21:23:57"),
        ("15.03.2019", "2019-03-15 00:00:00"),
        ("05.03.2019 10:20", "2019-03-05 10:20:00"),
        ("03.15.2019", "2019-03-15 00:00:00"),
        ("15-03-2019", "2019-03-15 00:00:00"),
        ("Fri, 03/15/2019 - 10:20", "2019-03-15 10:20:00"),
        ("Tue 5 Mar 2019 06.00 GMT", "2019-03-05 14:00:00"),
        ("三月 5, 2019", "2019-03-05 00:00:00"),
        ("十一月 20, 2019", "2019-11-20 00:00:00"),
        ("7月 2 2016", "2016-07-02 00:00:00"),
        ("2019年3月5日 上午10時20分", "2019-03-05 10:20:00"),
        ("民國108年3月5日", "2019-03-05 00:00:00"),
        ("中華民國 99 年 12 月 31 日", "2010-12-31 00:00:00"),
        ("發布日期：108-03-05", "2019-03-05 00:00:00"),
        ("1795140000", "2026-11-20 10:00:00"),
        ("1795140000123", "2026-11-20 10:00:00"),
        ("10:20 GMT, 5 March 2019", "2019-03-05 18:20:00"),
        ("10:20 AM on Tuesday, March 5, 2019", "2019-03-05 10:20:00"),
        ("March 5, 2019 at 10:20 a.m. ET", "2019-03-05 23:20:00"),
        ("July 5, 2019 at 10:20 a.m. ET", "2019-07-05 22:20:00"),
        ("Mar 5,2019", "2019-03-05 00:00:00"),
        ("Mar 5, 2019 / 10:20 AM", "2019-03-05 10:20:00"),
        ("5 March 2019 • 10:20am", "2019-03-05 10:20:00"),
        ("2019 March 5", "2019-03-05 00:00:00"),
        ("2019-Mar-05 10:20", "2019-03-05 10:20:00"),
        ("2019—03—05 10:20", "2019-03-05 10:20:00"),
        ("发布时间：19-03-05 10:20", "2019-03-05 10:20:00"),
        ("20190305T022000Z", "2019-03-05 10:20:00"),
        ("3小时前", "2026-11-20 15:20:00"),
        ("5 分钟前", "2026-11-20 18:15:00"),
        ("半小时前", "2026-11-20 17:50:00"),
        ("2天前", "2026-11-18 18:20:00"),
        ("an hour ago", "2026-11-20 17:20:00"),
        ("Posted 3 days ago", "2026-11-17 18:20:00"),
        ("昨天 10:30", "2026-11-19 10:30:00"),
        ("今天 08:00", "2026-11-20 08:00:00"),
        ("前天 23:59", "2026-11-18 23:59:00"),
        ("刚刚", "2026-11-20 18:20:00"),
    ],
)
def test_forms_that_are_understood(text: str, expected: str) -> None:
    assert when(text) == expected


@each_row(
    "text",
    ["", "没有日期", "03/04/2026", "2026-13-01", "2026-02-30", "2026年11月", "11-20 10:00", "2036-01-01", "1026-01-01",
     "昨天", "10:30", "192.168.1.20", "2026-11-2012", "电话 0571-2026-1120", "1.2026.11.20", "v2026.1.2.3", "12345", "一月前",
     "2026-11-25 10:00", "May I ask", "999999999999",
     "05-03-2019", "108-03-05", "日期：98-03-05", "民國200年1月1日", "3月5 2019年", "1.2.3.2019"],
)  # fmt: skip
def test_what_is_uncertain_is_refused(text: str) -> None:
    assert when(text) is None


def test_relative_dates_need_a_moment_to_count_from() -> None:
    assert when("3小时前", now=None) is None
    assert when("2036-01-01", now=None) == "2036-01-01 00:00:00"


def test_a_date_without_a_zone_is_in_the_topics_timezone() -> None:
    assert when("2026-11-20 10:00", "UTC") == "2026-11-20 18:00:00"
    assert when("2026-11-20T10:00:00+08:00", "UTC") == "2026-11-20 10:00:00"
    assert when("Thu Nov 19 10:00:00 CST 2026", "America/Chicago") == "2026-11-20 00:00:00"


@each_row(
    ("text", "precision", "raw"),
    [
        ("发布：2026年11月20日 10:05:33 编辑", "second", "2026年11月20日 10:05:33"),
        ("发布：2026年11月20日 10:05 编辑", "minute", "2026年11月20日 10:05"),
        ("发布：2026年11月20日 编辑", "day", "2026年11月20日"),
        ("发布于 3小时前", "hour", "3小时前"),
        ("November 19, 2026 at 9:14pm EST", "minute", "November 19, 2026 at 9:14pm EST"),
    ],
)
def test_precision_and_words_are_what_was_printed(text: str, precision: str, raw: str) -> None:
    found = read_date(text, timezone=SHANGHAI, now=NOW)
    assert found is not None
    assert (found.precision, found.raw) == (precision, raw)
    assert text[found.start :].startswith(raw)


def test_all_dates_of_a_line_are_found_in_order() -> None:
    line = "活动从2026-10-01到2026-10-07举行，发布于2026-09-30 09:00"
    days = [local(found)[:10] for found in find_dates(line, timezone=SHANGHAI, now=NOW)]
    assert days == ["2026-10-01", "2026-10-07", "2026-09-30"]


@each_row(
    ("url", "day"),
    [
        ("http://h.example/2026/11/20/story.html", "2026-11-20"),
        ("http://h.example/2026-11/20/c_1.htm", "2026-11-20"),
        ("http://h.example/202611/20/c_1.htm", "2026-11-20"),
        ("http://h.example/a/20261120/1.html", "2026-11-20"),
        ("http://h.example/t20261120_123.html", "2026-11-20"),
        ("http://h.example/2026-11-20-title", "2026-11-20"),
        ("http://h.example/art/2026/3/5/art_33_1.html", "2026-03-05"),
        ("http://h.example/art/2026/11/2/art_33_1.html", "2026-11-02"),
        ("http://h.example/2026/3/5", None),
        ("http://h.example/2026/13/20/x", None),
        ("http://h.example/2026/11/", None),
        ("http://h.example/id/1202611209", None),
        ("http://h.example/x?d=/2026/11/20/", None),
        ("http://h.example/2036/11/20/", None),
    ],
)
def test_days_in_addresses(url: str, day: str | None) -> None:
    found = date_in_address(url, timezone=SHANGHAI, now=NOW)
    assert (None if found is None else local(found)[:10]) == day


def test_an_unknown_timezone_says_what_to_write() -> None:
    with pytest.raises(ValueError, match=r'timezone = "Asia/Peking".*Asia/Shanghai'):
        zone_named("Asia/Peking")


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2026, 11, 19))


@given(
    MOMENTS,
    st.sampled_from(
        [
            "%Y-%m-%d %H:%M:%S",
            "%Y年%m月%d日 %H:%M:%S",
            "%Y/%m/%d %H:%M:%S",
            "%a, %d %b %Y %H:%M:%S +0800",
            "%b %d, %Y %H:%M:%S",
            "%Y-%m-%dT%H:%M:%S+08:00",
        ]
    ),
)
def test_what_is_printed_is_read_back(moment: datetime, form: str) -> None:
    moment = moment.replace(microsecond=0, tzinfo=ZoneInfo("Etc/GMT-8"))
    found = read_date(moment.strftime(form), timezone="Etc/GMT-8", now=NOW)
    assert found is not None
    assert found.seconds == moment.timestamp()
    assert found.precision == "second"


@given(st.text(max_size=80) | st.from_regex(r"[0-9年月日:/ .+-]{1,40}", fullmatch=True))
def test_no_text_breaks_the_reading_and_no_date_lies_ahead(text: str) -> None:
    found = read_date(text, timezone=SHANGHAI, now=NOW)
    assert found is None or found.seconds <= NOW + timedelta(days=1).total_seconds()


@each_row(
    ("text", "printed"),
    [
        ("2026-11-20", "2026-11-20"),
        ("2026年11月20日 10:05", "2026-11-20T10:05+08:00"),
        ("2026-11-20T10:05:33Z", "2026-11-20T10:05:33+00:00"),
        ("Nov 19, 2026 11:30 pm EST", "2026-11-19T23:30-05:00"),
        ("Thu, 19 Nov 2026 23:30:00 -0800", "2026-11-19T23:30:00-08:00"),
        ("3小时前", "2026-11-20T15+08:00"),
        ("昨天 08:15", "2026-11-19T08:15+08:00"),
        ("2天前", "2026-11-18"),
        ("20261119", "2026-11-19"),
    ],
)
def test_a_date_is_written_in_its_own_zone_and_no_more_precise_than_printed(
    text: str, printed: str
) -> None:
    found = read_date(text, timezone=SHANGHAI, now=NOW)
    assert found is not None
    assert found.as_printed() == printed


@given(
    st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)).map(
        lambda at: at.replace(microsecond=0)
    ),
    st.integers(-14 * 4, 14 * 4),
    st.sampled_from([None, 1_795_147_200.0]),
)
def test_a_whole_iso_date_is_read_as_it_is_found_in_a_line(
    moment: datetime, quarters: int, now: float | None
) -> None:
    zone = timezone(timedelta(minutes=15 * quarters))
    text = moment.replace(tzinfo=zone).isoformat()
    found = next(find_dates(text, timezone="Asia/Shanghai", now=now), None)
    assert read_date(text, timezone="Asia/Shanghai", now=now) == found


def test_seconds_since_1970_are_written_in_the_zone_that_holds() -> None:
    found = read_date("1551752400", timezone=SHANGHAI, now=NOW)
    assert found is not None
    assert found.as_printed() == "2019-03-05T10:20:00+08:00"


@each_row(
    "text", ["19-03-05 10:20", "score 3:2 on March", "2019 March", "日期：19-03-05", "1:2 5 Mar"]
)
def test_what_only_resembles_a_date_is_none(text: str) -> None:
    assert when(text) is None


@each_row(
    ("text", "expected", "precision"),
    [
        ("1小时20分钟前", "2026-11-20 17:00:00", "minute"),
        ("发布于 1 小时 20 分钟前", "2026-11-20 17:00:00", "minute"),
        ("1天2小时前", "2026-11-19 16:20:00", "hour"),
        ("2 hours 15 minutes ago", "2026-11-20 16:05:00", "minute"),
        ("2 hours, 15 minutes ago", "2026-11-20 16:05:00", "minute"),
        ("1 hour and 20 mins ago", "2026-11-20 17:00:00", "minute"),
        ("1d 2h ago", "2026-11-19 16:20:00", "hour"),
        ("1 week 2 days ago", "2026-11-11 18:20:00", "day"),
        ("1.5小时前", "2026-11-20 16:50:00", "hour"),
        ("一个半小时前", "2026-11-20 16:50:00", "minute"),
        ("半小时前", "2026-11-20 17:50:00", "hour"),
        ("半小時前", "2026-11-20 17:50:00", "hour"),
        ("half an hour ago", "2026-11-20 17:50:00", "hour"),
        ("發佈於 2分鐘前", "2026-11-20 18:18:00", "minute"),
        ("發表時間：3小時前", "2026-11-20 15:20:00", "hour"),
        ("三個小時前", "2026-11-20 15:20:00", "hour"),
        ("兩天前", "2026-11-18 18:20:00", "day"),
        ("剛剛", "2026-11-20 18:20:00", "minute"),
        ("刚才", "2026-11-20 18:20:00", "minute"),
    ],
)
def test_what_has_passed_in_several_units_is_all_of_them(
    text: str, expected: str, precision: str
) -> None:
    found = read_date(text, timezone=SHANGHAI, now=NOW)
    assert found is not None
    assert (local(found), found.precision) == (expected, precision)


@each_row(
    "text",
    [
        "3个月前",
        "1个月2天前",
        "1年3天前",
        "2 months 3 days ago",
        "2周前",
        "20分钟1小时前",
        "1 month ago",
    ],
)
def test_what_has_passed_in_months_is_no_date(text: str) -> None:
    assert when(text) is None


@each_row(
    "text",
    [
        "农历二〇二四年八月十五",
        "農曆2024年8月15日",
        "阴历：2024年8月15日",
        "旧历 2024-08-15",
        "（农历）二〇二四年八月十五",
        "2024年8月15日（农历）",
        "夏历2024年8月15日",
        "Lunar calendar: 2024-08-15",
    ],
)
def test_a_day_of_the_lunar_calendar_is_no_date(text: str) -> None:
    assert when(text) is None


@each_row(
    ("text", "expected"),
    [
        ("2024年9月17日（农历八月十五）", "2024-09-17 00:00:00"),
        ("2024年9月17日 农历八月十五", "2024-09-17 00:00:00"),
        ("农历八月十五 2024年9月17日", "2024-09-17 00:00:00"),
        ("《农历》 2024年9月17日", "2024-09-17 00:00:00"),
        ("Tue 29 Nov 2016 15.26 EST", "2016-11-30 04:26:00"),
        ("Tue 29 Nov 2016 15.26 AEDT", "2016-11-29 12:26:00"),
        ("29 Nov 2016 15.26 points", "2016-11-29 00:00:00"),
        ("19.07.2022", "2022-07-19 00:00:00"),
        ("2017-03-13 19:18:46.402+00:00", "2017-03-14 03:18:46"),
    ],
)
def test_dates_beside_another_calendar_and_with_other_marks(text: str, expected: str) -> None:
    assert when(text) == expected
