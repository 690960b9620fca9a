"""Nothing is lost and nothing comes twice: what is new, over a real mail server and a real web address."""

from __future__ import annotations

import errno
import io
import os
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest
from scrapy.settings import Settings

from focuscrawl.config import read_config
from focuscrawl.output.notify.outbox import Attempt, Delivery, collect
from focuscrawl.output.notify.rows import count_given_up, due_notices
from focuscrawl.output.notify.times import MOST_SENDINGS
from focuscrawl.output.notify.topic_notices import OtherOutboxes, TopicNotices
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryState
from focuscrawl.template.template import language_of
from tests.output.notify.conftest import DAY, HOUR, MORNING, Newsroom
from tests.output.notify.receivers import Hook, Mailbox, body_of

Make = Callable[..., Newsroom]


def look(room: Newsroom, delivery: Delivery, *others: Newsroom) -> list[Attempt]:
    """Collect and send, as a crawl does."""
    now = room.clock.now
    for one in (room, *others):
        collect(one.outbox, one.outbox.template.each(type(one.table)), MORNING - HOUR, now)
    return delivery.deliver(room.table, [one.outbox for one in (room, *others)], now)


def test_a_mail_says_by_story_what_is_new_in_html_and_text(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn,c@d.cn"')
    room.add("成都地铁开通新线", medium="四川日报")
    room.add("<script>alert(1)</script>\u202egpj.exe", url="javascript:alert(1)")
    (attempt,) = look(room, delivery)
    assert attempt == Attempt("mailto:a@b.cn,c@d.cn", ("metro",), 2)
    (mail,) = mailbox.taken
    assert mail["To"] == "a@b.cn, c@d.cn"
    assert mail["From"].endswith("<crawl@example.cn>")
    assert mail["List-Id"] == "<metro.focuscrawl.example.cn>"
    assert mail["Subject"].startswith("成都地铁：2 条新消息 – ")
    text = body_of(mail, "plain")
    markup = body_of(mail, "html")
    for body in (text, markup):
        assert "成都地铁开通新线" in body
        assert "四川日报" in body
        assert "\u202e" not in body
    assert "<script" not in markup
    assert "&lt;script&gt;" in markup
    assert 'href="javascript' not in markup


def test_what_was_published_years_ago_has_its_year(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"')
    room.add("上周", published=MORNING - 7 * DAY)
    room.add("七年前", published=MORNING - 7 * 365 * DAY)
    look(room, delivery)
    text = body_of(mailbox.taken[0], "plain")
    assert " · 11-13 08:00 发布 · " in text
    assert " · 2019-11-22 08:00 发布 · " in text


def test_a_day_without_a_time_stays_that_day_in_mails_and_hooks(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox, hook: Hook
) -> None:
    for room in (newsroom('to = "mailto:a@b.cn"'), newsroom(f'to = "{hook.url}"')):
        room.add("今天的", published=MORNING - 8 * HOUR, published_date="2026-11-20")
        room.add("七年前", published=MORNING - 7 * 365 * DAY, published_date="2019-11-22")
        room.add("有时刻", published=MORNING - HOUR, published_date="2026-11-20T07:00+08:00")
        look(room, delivery)
    text = body_of(mailbox.taken[0], "plain")
    assert " · 11-20 发布 · " in text
    assert " · 2019-11-22 发布 · " in text
    assert " · 11-20 07:00 发布 · " in text
    told = [entry["changes"][0]["published"] for entry in hook.taken[0]["topics"][0]["entries"]]
    assert sorted(told) == ["2019-11-22", "2026-11-19T23:00:00.000Z", "2026-11-20"]


def test_a_hook_takes_json_under_an_idempotency_key(
    newsroom: Make, delivery: Delivery, hook: Hook
) -> None:
    room = newsroom(f'to = "{hook.url}"')
    change = room.add("成都地铁开通新线")
    (attempt,) = look(room, delivery)
    assert "s3cret" not in attempt.shown
    (message,) = hook.taken
    assert hook.keys == [message["id"]]
    (entry,) = message["topics"][0]["entries"]
    assert (entry["title"], entry["changes"][0]["id"]) == ("成都地铁开通新线", change)
    assert entry["changes"][0]["hits"] == {"地铁": 2}


def test_a_secret_address_is_never_stored_nor_shown(newsroom: Make, delivery: Delivery) -> None:
    room = newsroom('to = "env:SECRET_HOOK"')
    room.add("新")
    (attempt,) = look(room, delivery)
    assert attempt.error
    assert "s3cret" not in str(attempt)
    assert "s3cret" not in repr(room.outbox.template)
    assert "s3cret" not in str(room.outbox.template.resolved)
    with results_to_read(room.outbox.place) as connection:
        rows = [*connection.exec_driver_sql("SELECT * FROM notices")]
    assert rows
    assert "s3cret" not in str(rows)
    if isinstance(room.outbox.place, Path):
        assert b"s3cret" not in room.outbox.place.read_bytes()


def notices_of(room: Newsroom, delivery: Delivery) -> TopicNotices:
    config = read_config(Settings({"FOCUSCRAWL_DATA_DIR": str(room.folder)}), {}, room.folder)
    others = OtherOutboxes("metro", config, room.outbox.tables, language_of(), {})
    return TopicNotices(room.outbox, delivery, others)


def test_of_two_receivers_of_a_mail_the_one_that_is_known_gets_it_once(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn,c@d.cn"')
    notices = notices_of(room, delivery)
    room.add("成都地铁开通新线")
    mailbox.unknown = {"c@d.cn"}
    said = []
    for hours in (0, 1, 24):
        room.clock.now = MORNING + hours * HOUR
        notices.collect(MORNING - HOUR, room.clock.now)
        said += [one.error for one in notices.deliver(room.clock.now)]
    assert mailbox.receivers == [["a@b.cn"]]
    assert [bool(error) for error in said] == [False, True, True, True]
    mailbox.unknown = set()
    room.clock.now = MORNING + 3 * 24 * HOUR
    notices.deliver(room.clock.now)
    assert mailbox.receivers == [["a@b.cn"], ["c@d.cn"]]


def test_what_is_refused_comes_later_once_and_under_its_id(
    newsroom: Make, delivery: Delivery, hook: Hook
) -> None:
    room = newsroom(f'to = "{hook.url}"\nevery = "1m"')
    first = room.add("一")
    hook.answers = [500, 429]
    assert look(room, delivery)[0].error == "http://127.0.0.1/… answered 500"
    second = room.add("二")
    waited = []
    for _ in range(8):
        room.clock.now += 60
        waited += [len(look(room, delivery))]
    assert Counter(hook.changes) == {first: 1, second: 1}
    assert len(set(hook.keys)) == len(hook.keys) == 2
    assert waited.count(0) >= 4  # not each minute


def test_a_receiver_that_never_answers_is_given_up_and_said(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"')
    room.add("一")
    mailbox.refusing = ["550 no"] * 100
    tries = 0
    for _ in range(2 * MOST_SENDINGS):
        tries += len(look(room, delivery))
        room.clock.now += DAY
    assert tries == MOST_SENDINGS
    with results_to_read(room.outbox.place) as connection:
        count, why = count_given_up(connection, "metro", MOST_SENDINGS)
    assert (count, why) == (1, f"the mail server 127.0.0.1:{mailbox.port} said 550 no")


def test_it_is_said_what_was_sent_what_was_not_what_waits_and_what_was_given_up(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"')
    notices = notices_of(room, delivery)
    room.add("一")
    look(room, delivery)
    mailbox.refusing = ["550 no"] * MOST_SENDINGS
    room.add("二")
    said: list[list[str]] = []
    for _ in range(2 * MOST_SENDINGS):
        room.clock.now += DAY
        said.append([*notices.told(look(room, delivery))])
    refused = f"the mail server 127.0.0.1:{mailbox.port} said 550 no"
    assert said[0] == [
        f"not sent to mailto:a@b.cn: {refused}; tried again later",
        "1 changes not sent yet: the next crawl sends them, or scrapy topic notify metro",
    ]
    assert said[-1] == [
        f"1 changes could not be sent in {MOST_SENDINGS} tries ({refused}): see the table notices"
    ]
    room.add("三")
    room.clock.now += DAY
    assert [*notices.told(look(room, delivery))] == ["1 entry to mailto:a@b.cn", *said[-1]]


def test_who_dies_before_it_hears_the_answer_sends_it_again_under_the_same_id(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = newsroom('to = "mailto:a@b.cn"\nevery = "1s"')
    room.add("一")
    with monkeypatch.context() as patch:

        def die(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("focuscrawl.output.notify.outbox.settle_message", die)
        with pytest.raises(KeyboardInterrupt):
            look(room, delivery)
    room.add("二")  # comes after it, in a message of its own
    for _ in range(3):
        room.clock.now += 61
        look(room, delivery)
    assert len(mailbox.taken) == 3
    assert len(set(mailbox.ids)) == 2
    again = [mail for mail in mailbox.taken if mailbox.ids.count(str(mail["Message-ID"])) == 2]
    assert body_of(again[0], "plain").count("* 一") == 1
    assert str(again[0]["Subject"]) == str(again[1]["Subject"])


def test_a_new_receiver_is_not_told_what_was_there_before(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"')
    room.add("旧闻", MORNING - DAY)
    assert look(room, delivery) == []
    assert mailbox.taken == []


def test_copies_small_scores_and_other_words_are_told_nobody(
    newsroom: Make, delivery: Delivery, hook: Hook
) -> None:
    room = newsroom(f'to = "{hook.url}"\nmatch = ["停运|事故"]\nscore = 0.5')
    wanted = [room.add("地铁停运三小时"), room.add("无题", hits={"事故": 1})]
    room.add("地铁停运的转载", is_copy=True)
    room.add("地铁停运旧闻", score=0.2)
    room.add("地铁开通")
    room.add("地铁停运的页面消失", kind="gone")
    look(room, delivery)
    assert sorted(hook.changes) == sorted(wanted)


def test_small_edits_come_once_with_the_next_message_and_make_none(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"\nwhat = ["new", "changed"]')
    room.add("第一条")
    look(room, delivery)
    room.clock.now += DAY
    room.add("改了一个字", kind="minor")
    assert look(room, delivery) == []
    for title in ("第二条", "第三条"):
        room.clock.now += DAY
        room.add(title)
        look(room, delivery)
    texts = [body_of(mail, "plain") for mail in mailbox.taken]
    assert ["另有 1 处小改动：改了一个字" in text for text in texts] == [False, True, False]


def test_what_is_new_comes_as_a_workbook_when_it_is_asked_for(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"\nattach = "xlsx"')
    room.add("旧闻", MORNING - DAY)
    room.add("成都地铁开通新线")
    room.add("早已存在", known=True, told=False)
    look(room, delivery)
    (attached,) = mailbox.taken[0].iter_attachments()
    assert attached.get_filename() == "metro-2026-11-20.xlsx"
    book = openpyxl.load_workbook(io.BytesIO(attached.get_content()))
    titles = [row[1] for row in book["文章"].iter_rows(min_row=2, values_only=True)]
    assert titles == ["成都地铁开通新线"]
    assert "来源" not in book.sheetnames


def test_what_the_most_of_a_day_leaves_over_comes_at_the_next_days_time(
    newsroom: Make, delivery: Delivery, hook: Hook
) -> None:
    room = newsroom(f'to = "{hook.url}"\nat = ["08:00", "17:30"]\nmost = 1')
    room.clock.now = MORNING - HOUR / 2
    first, second = room.add("早上"), ""
    told = []
    for hours in range(-1, 26):
        room.clock.now = MORNING + hours * HOUR
        if hours == 2:
            second = room.add("上午")
        look(room, delivery)
        told.append(list(hook.changes))
    assert told[0] == []
    assert told[1] == told[24] == [first]
    assert told[25] == [first, second]


def test_a_clock_that_ran_ahead_silences_nobody(
    newsroom: Make, delivery: Delivery, hook: Hook
) -> None:
    room = newsroom(f'to = "{hook.url}"\nmost = 1')
    room.clock.now = MORNING + 30 * DAY
    room.add("将来")
    look(room, delivery)
    room.clock.now = MORNING
    present = room.add("现在")
    look(room, delivery)
    assert hook.changes[-1] == present


def test_a_story_is_as_large_as_the_one_that_swallowed_it(
    newsroom: Make, delivery: Delivery, hook: Hook
) -> None:
    room = newsroom(f'to = "{hook.url}"\nsites = 3')
    small, large = "ab" * 16, "cd" * 16
    first, second = (StoryState(one, "停运", "0" * 32, "a", MORNING, MORNING, 1, 0, sites, ()) for one, sites in ((small, ("a",)), (large, ("a", "b", "c"))))  # fmt: skip
    room.add("地铁停运", story_id=small)
    room.results.write(ResultBatch(stories=[first]))
    look(room, delivery)
    assert hook.changes == []
    room.clock.now += HOUR
    room.results.write(ResultBatch(stories=[second, first._replace(merged_into=large)]))
    look(room, delivery)
    assert len(hook.changes) == 1


def test_a_workbook_has_what_its_mail_tells_and_nothing_else(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    room = newsroom('to = "mailto:a@b.cn"\nattach = "xlsx"\nmatch = "开通"\nscore = 0.5')
    room.add("地铁停运")
    room.add("成都地铁开通新线", story_id="ab" * 16)
    room.add("地铁开通的小站", score=0.1)
    look(room, delivery)
    room.add("第二条线开通")
    room.clock.now += HOUR
    look(room, delivery)
    told = []
    for mail in mailbox.taken:
        (attached,) = mail.iter_attachments()
        book = openpyxl.load_workbook(io.BytesIO(attached.get_content()))
        told.append([row[1] for row in book["文章"].iter_rows(min_row=2, values_only=True)])
        assert book["变化"].max_row == 2
    assert told == [["成都地铁开通新线"], ["第二条线开通"]]


def test_a_disk_that_has_no_room_for_the_workbook_is_tried_again(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = newsroom('to = "mailto:a@b.cn"\nattach = "xlsx"')
    room.add("地铁停运")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("focuscrawl.output.notify.outbox.write_export", full)
        (attempt,) = look(room, delivery)
    assert "No space left" in attempt.error
    assert mailbox.taken == []
    room.clock.now += DAY
    look(room, delivery)
    assert len(mailbox.taken) == 1


def test_topics_share_a_digest_that_they_have_from_one_house_and_none_that_differs(
    newsroom: Make,
) -> None:
    notify = 'to = "mailto:a@b.cn"\nat = ["08:00"]'
    metro, food = newsroom(notify), newsroom(notify, "food", "食品安全")
    newsroom(notify + '\nquiet = ["00:00-12:00"]', "night", "夜间")
    topics = metro.folder / "topics"
    path = topics / "food.toml"
    head, table, rest = path.read_text("utf-8").partition("[[notify]]")
    (topics / "_house.toml").write_text(table + rest, "utf-8")
    path.write_text(f'extends = "_house.toml"\n{head}', "utf-8")
    (topics / "broken.toml").symlink_to("nowhere.toml")
    settings = {"FOCUSCRAWL_DATA_DIR": str(metro.folder), "FOCUSCRAWL_TOPICS": str(topics)}
    if not isinstance(metro.outbox.place, Path):
        settings["FOCUSCRAWL_RESULTS"] = metro.outbox.place
    config = read_config(Settings(settings), {}, metro.folder)
    others = OtherOutboxes("metro", config, metro.outbox.tables, language_of(), {})
    assert [one.name for one in others.for_receiver(metro.table)] == [food.outbox.name]


def test_topics_that_name_an_address_and_times_share_a_digest(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    notify = 'to = "mailto:a@b.cn"\nat = ["08:00"]'
    metro, food = newsroom(notify), newsroom(notify, "food", "食品安全")
    metro.clock.now = food.clock.now = MORNING + HOUR
    metro.add("地铁开通")
    food.add("花生霉变")
    assert look(metro, delivery, food) == []
    metro.clock.now = food.clock.now = MORNING + DAY
    (attempt,) = look(metro, delivery, food)
    assert attempt.topics == ("metro", "food")
    assert look(food, delivery, metro) == []
    (mail,) = mailbox.taken
    assert mail["Subject"].startswith("成都地铁、食品安全：2 条新消息")


def test_for_a_week_every_change_is_told_once_and_never_in_quiet_hours(
    newsroom: Make, hook: Hook
) -> None:
    """Crawls that begin and end, servers that fail, a cap a day: under a clock that runs as it likes."""
    dice = random.Random(1)
    room = newsroom(f'to = "{hook.url}"\nquiet = ["22:00-07:00"]\nevery = "1h"\nmost = 3')
    wanted, sent_at = [], []
    moment = MORNING
    of_a_file = isinstance(room.outbox.place, Path)
    while moment < MORNING + (7 if of_a_file else 4) * DAY:  # a server takes longer to connect to
        moment += dice.uniform(0.5, 9) * HOUR
        room.clock.now = moment
        wanted += [room.add(f"新闻 {number}") for number in range(dice.randint(0, 3))]
        hook.answers = [dice.choice([500, 503, 404])] if dice.random() < 0.3 else []
        before = len(hook.taken)
        look(room, Delivery(room.folder, ""))
        sent_at += [moment] * (len(hook.taken) - before)
    hook.answers = []
    for _ in range(12 if of_a_file else 8):
        room.clock.now += 7 * HOUR
        look(room, Delivery(room.folder, ""))
    assert Counter(hook.changes) == Counter(wanted)
    assert len(set(hook.keys)) == len(hook.keys)
    hours = [datetime.fromtimestamp(at, UTC).hour for at in sent_at]
    assert sent_at
    assert not [hour for hour in hours if 14 <= hour < 23]  # 22:00 to 07:00 in Shanghai
    days = Counter((at + 8 * HOUR) // DAY for at in sent_at)
    assert max(days.values()) <= 3


def test_two_processes_that_look_at_once_send_one_message(
    newsroom: Make, delivery: Delivery, mailbox: Mailbox
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    room = newsroom('to = "mailto:a@b.cn"')
    room.add("一")
    collect(room.outbox, [room.table], MORNING - HOUR, room.clock.now)
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: delivery.deliver(room.table, [room.outbox], room.clock.now), range(4)))  # fmt: skip
    assert sum(map(len, told)) == len(mailbox.taken) == 1
    with results_to_read(room.outbox.place) as connection:
        assert not due_notices(connection, "metro", "x", room.clock.now, MOST_SENDINGS)
