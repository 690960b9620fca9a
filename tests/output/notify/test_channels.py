"""Mail servers, web addresses and services of apprise as they are, and what is said when they fail."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from focuscrawl.output.notify.channels import Channel, ask_ping
from focuscrawl.output.notify.choice import ToldChange
from focuscrawl.output.notify.mail import MailServer, SendError, mail_of, send_mail
from focuscrawl.output.notify.messages import TopicNews, compose, compose_test
from focuscrawl.stores.results.news import Teller
from tests.clock import NOON
from tests.output.notify.receivers import Hook, Mailbox, body_of
from tests.output.notify.test_times import SHANGHAI
from tests.tables import each_row

HOSTILE = "<b>\u202e假\r\nBcc: x@y.z\x00" + "长" * 1_000_000


pytestmark = pytest.mark.filterwarnings("ignore:.*imghdr.*:DeprecationWarning")
"""Of apprise, when it is imported."""


def change(number: int, title: str, **more: Any) -> ToldChange:
    usual = ToldChange(
        topic="metro",
        change_id=f"{number:032x}",
        at=NOON,
        kind="new",
        what="article",
        url=f"http://a.cn/{number}",
        title=title,
        medium="四川日报",
        host="a.cn",
        published=None,
        published_date="",
        lead="摘要",
        hits={"地铁": 3},
        score=0.5,
        is_copy=False,
        diff="",
        fields={},
        story_id="",
        sites=1,
    )
    return usual._replace(**more)


def news(*changes: ToldChange) -> TopicNews:
    return TopicNews("metro", "成都地铁", SHANGHAI, changes)


def test_a_mail_survives_titles_that_no_mail_can_hold(mailbox: Mailbox) -> None:
    message = compose("ab" * 16, [news(change(1, HOSTILE), change(2, "好"))], "zh")
    Channel("mailto:a@b.cn", mailbox.url).send(message, NOON)
    (mail,) = mailbox.taken
    assert mail["Bcc"] is None
    assert len(str(mail["Subject"])) <= 100
    assert len(body_of(mail, "html")) < 5_000
    assert "\u202e" not in body_of(mail, "plain") + body_of(mail, "html")
    assert mail["Message-ID"] == f"<{'ab' * 16}@example.cn>"


def test_no_mark_of_a_title_turns_round_what_stands_behind_it_in_a_mail() -> None:
    message = compose("ab" * 16, [news(change(1, "食品\u202egpj.exe\u2066抽检"))], "zh")
    for text in (message.subject, message.text, message.html):
        assert "食品gpj.exe抽检" in text
        assert not {*text} & {"\u202e", "\u2066"}


@pytest.mark.parametrize("blanks", range(1, 6))
def test_a_subject_arrives_as_it_was_written(mailbox: Mailbox, blanks: int) -> None:
    title = "德阳大学城 多人食用鲜榨果汁后 疑似中毒 a b c 官方回应"[blanks:] * 2
    message = compose("ab" * 16, [news(change(1, title))], "zh")
    Channel("mailto:a@b.cn", mailbox.url).send(message, NOON)
    assert mailbox.taken[0]["Subject"] == message.subject


def test_a_story_is_one_entry_with_its_sites(mailbox: Mailbox) -> None:
    story = {"story_id": "s", "sites": 3}
    told = [change(1, "地铁开通", **story), change(2, "地铁开通了", medium="成都商报", **story), change(3, "另一件")]  # fmt: skip
    message = compose("ab" * 16, [news(*told)], "zh")
    assert message.entries == 2
    assert message.subject == "成都地铁：2 条新消息 – 地铁开通"
    assert message.text.index("* 地铁开通") < message.text.index("* 另一件")
    assert "3 个网站" in message.text
    assert "同一事件另见：\n  - 地铁开通了 · 成都商报（a.cn）\n    http://a.cn/2\n" in message.text
    assert message.text.count("地铁开通\n") == 1, "the title of an entry is said once"
    assert "2 条新消息（新消息共 3 篇）" in message.text
    (first, second) = message.payload["topics"][0]["entries"]
    assert [len(first["changes"]), len(second["changes"])] == [2, 1]


def test_a_long_message_says_how_many_more_there_are() -> None:
    message = compose("ab" * 16, [news(*(change(n, f"第{n}条") for n in range(150)))], "zh")
    assert message.entries == 150
    assert (
        "另有 50 条。全部导出：scrapy topic export metro --since 2026-11-20T12:00 -o metro.xlsx"
        in message.text
    )
    assert len(message.payload["topics"][0]["entries"]) == 150


def test_a_story_names_the_sites_that_have_told_it_before_or_have_a_copy() -> None:
    others = [
        Teller("http://a.cn/0", "四川日报", "a.cn"),
        *(Teller(f"http://{number}.cn/", "商报", f"{number}.cn") for number in range(9)),
    ]
    told = news(change(1, "地铁开通", story_id="s", sites=10))._replace(tellers={"s": others})
    message = compose("ab" * 16, [told], "zh")
    head, _, rest = message.text.partition("同一事件另见：\n")
    assert head.endswith("摘要\n  "), "how the article begins stands with it"
    assert rest.startswith("  - 商报（0.cn）\n    http://0.cn/\n  - 商报（1.cn）\n")
    assert "http://a.cn/0" not in message.text
    assert "另有 1 篇" in rest
    assert 'href="http://7.cn/"' in message.html
    assert len(message.payload["topics"][0]["entries"][0]["tellers"]) == 10


def test_what_is_new_stands_in_the_order_of_its_dates_and_says_what_was_found_late() -> None:
    days = {"早": NOON - 3_600, "旧": NOON - 900 * 86_400, "无": None, "晚": NOON - 60}
    told = [change(n, title, published=at) for n, (title, at) in enumerate(days.items())]
    message = compose("ab" * 16, [news(*told)], "zh")
    assert [line[2] for line in message.text.splitlines() if line.startswith("* ")] == [*"无晚早旧"]
    assert message.text.count("发布 · 现在才发现") == 1


def test_a_message_begins_with_what_needs_its_reader_and_has_all_of_it_at_its_end() -> None:
    needs = [f"未能取得的来源：http://{number}.cn/（timeout）" for number in range(13)]
    about = news(change(1, "新闻"), change(2, "旧页", kind="gone"))
    told = about._replace(needs=needs, report="crawls/metro.report.html")
    message = compose("ab" * 16, [told], "zh")
    head, _, rest = message.text.partition("[需要您处理]")
    assert head.startswith(
        "成都地铁\n需要您处理 13 项（见文末）：未能取得的来源：http://0.cn/（timeout） …\n"
        "1 条新消息、1 条消失\n完整报告，在运行抓取的机器上：crawls/metro.report.html\n\n[新]\n"
    )
    assert [line for line in rest.splitlines() if line.startswith("* ")] == [
        *(f"* {one}" for one in needs[:12]), "* 另有 1 项"
    ]  # fmt: skip
    assert "* 旧页" in head
    assert message.html.index("新闻") < message.html.index("<h3>需要您处理")
    assert message.payload["topics"][0]["needs"] == needs
    alone = compose("ab" * 16, [told._replace(needs=needs[:1])], "zh").text
    assert alone.startswith(f"成都地铁\n需要您处理：{needs[0]}\n1 条新消息")
    assert alone.count("需要您处理") == 1
    assert "需要您处理" not in compose("ab" * 16, [about], "zh").text


def test_small_edits_are_one_line_behind_all_else() -> None:
    small = [change(number, f"第{number}条", kind="minor") for number in range(7)]
    message = compose("ab" * 16, [news(change(9, "新闻"))._replace(small=small)], "zh")
    assert message.subject == "成都地铁：1 条新消息 – 新闻"
    assert "\n另有 7 处小改动：第0条、第1条、第2条、第3条、第4条、…\n" in message.text
    assert message.text.index("* 新闻") < message.text.index("小改")
    assert "小改" in message.html


def test_a_mail_is_as_wide_as_its_screen_and_as_dark() -> None:
    markup = compose("ab" * 16, [news(change(1, "新闻"))], "zh").html
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in markup
    assert 'name="color-scheme" content="light dark"' in markup
    assert "prefers-color-scheme:dark" in markup


def test_what_has_changed_is_told_with_its_difference() -> None:
    changed = change(
        1,
        "通告",
        kind="major",
        diff="- 三百人\n+ 五百人",
        fields={"title": ["甲", "乙"], "phone": [["028"], None]},
    )
    message = compose("ab" * 16, [news(changed, change(2, "旧页", kind="gone"))], "en")
    assert "[Changed]" in message.text
    assert "title: 甲 → 乙" in message.text
    assert "phone: 028 → (nothing)" in message.text
    assert "    removed: 三百人\n    added: 五百人\n" in message.text
    assert "四川日报 (a.cn) · noticed 11-20 12:00" in message.text
    assert "[Gone (no longer on its site; what is stored stays)]" in message.text


def test_new_replies_are_told_apart_from_edits_with_the_places_of_their_posts() -> None:
    reply = change(1, "地铁讨论", kind="reply", what="thread", medium="a.cn", fields={"replies": [2, 3]}, diff="+4 夜航船: 下文。\n又一行\n")  # fmt: skip
    edit = change(2, "通告", kind="major", diff="@@ -1 +1 @@\n 前文\n-三百人\n+五百人\n 后文")
    told = news(reply, edit)._replace(since=NOON - 3600)
    message = compose("ab" * 16, [told], "zh")
    assert "11-20 11:00 以来：1 个帖子有新回复、1 条改动" in message.text
    replies, _, changed = message.text.partition("[有改动]")
    assert "[新回复]" in replies
    assert "    回复数: 2 → 3\n    4 楼 夜航船: 下文。\n    又一行\n" in replies
    assert "    删去：三百人\n    新增：五百人\n" in changed
    assert "前文" not in changed
    sections = [one["section"] for one in message.payload["topics"][0]["entries"]]
    assert sections == ["replies", "changed"]


def test_what_has_happened_to_one_page_is_one_entry() -> None:
    second = change(2, "地铁讨论", kind="reply", what="thread", at=NOON + 9, fields={"replies": [3, 5]}, diff="+5 丙: 三\n+6 丁: 四\n", url="http://a.cn/1")  # fmt: skip
    first = change(1, "地铁讨论", kind="reply", what="thread", fields={"replies": [2, 3]}, diff="+4 乙: 二\n")  # fmt: skip
    message = compose("ab" * 16, [news(second, first)], "zh")
    assert message.entries == 1
    assert "1 个帖子有新回复" in message.subject
    assert "    回复数: 2 → 5\n    4 楼 乙: 二\n    5 楼 丙: 三\n    6 楼 丁: 四\n" in message.text
    assert message.text.count("http://a.cn/1") == 1


@pytest.mark.parametrize(
    ("text", "host", "port", "user", "password", "sender"),
    [
        ("smtp://mail.a.cn", "mail.a.cn", 587, "", "", "focuscrawl@mail.a.cn"),
        ("smtps://u%40a.cn:p%2Fw@mail.a.cn", "mail.a.cn", 465, "u@a.cn", "p/w", "u@a.cn"),
        ("smtp://u:s3cret@h:25?from=x@y.cn", "h", 25, "u", "s3cret", "x@y.cn"),
    ],
)
def test_the_address_of_a_mail_server_is_read(
    text: str, host: str, port: int, user: str, password: str, sender: str
) -> None:
    server = MailServer.read(text)
    assert (server.host, server.port, server.user, server.password, server.sender) == (host, port, user, password, sender)  # fmt: skip
    assert not password or password not in repr(server)


@each_row("text", ["mail.a.cn", "http://a.cn", "smtp://", "smtp://u:s3cret@a.cn:x", "smtp://a.cn/x"])  # fmt: skip
def test_what_is_no_mail_server_is_said_without_its_password(text: str) -> None:
    with pytest.raises(SendError, match="FOCUSCRAWL_SMTP is no address") as error:
        MailServer.read(text)
    assert "s3cret" not in str(error.value)


def test_a_password_is_not_sent_in_clear_to_another_machine(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = MailServer.read(f"smtp://u:s3cret@127.0.0.1:{mailbox.port}")
    message = compose_test("ab" * 16, "metro", "成都地铁", "zh")
    mail = mail_of(message, server, ["a@b.cn"], NOON)
    with pytest.raises(SendError, match="SMTP AUTH extension not supported"):
        send_mail(mail, server)  # here it may be, but this one asks for none
    monkeypatch.setattr(MailServer, "is_here", False)
    with pytest.raises(SendError, match="offers no STARTTLS") as error:
        send_mail(mail, server)
    assert "s3cret" not in str(error.value)
    assert mailbox.taken == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mailto:a@b.cn", "names no mail server"),
        ("http://127.0.0.1:9/s3cret", "http://127.0.0.1/…: "),
        ("http://no.such.host.invalid/s3cret", "http://no.such.host.invalid/…: "),
        ("nosuchscheme://s3cret", "is no address that apprise knows"),
    ],
)
def test_who_cannot_be_reached_is_said_without_what_opens_the_door(
    address: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    message = compose_test("ab" * 16, "metro", "成都地铁", "zh")
    with pytest.raises(SendError) as error:
        Channel(address).send(message, NOON)
    assert said in str(error.value)
    assert "s3cret" not in str(error.value)


def test_a_mail_server_that_is_away_or_refuses_is_said(mailbox: Mailbox) -> None:
    message = compose_test("ab" * 16, "metro", "成都地铁", "zh")
    with pytest.raises(SendError, match=r"the mail server 127\.0\.0\.1:9"):
        Channel("mailto:a@b.cn", "smtp://127.0.0.1:9").send(message, NOON)
    mailbox.refusing = ["451 later"]
    with pytest.raises(SendError, match="said 451 later"):
        Channel("mailto:a@b.cn", mailbox.url).send(message, NOON)


def test_a_redirect_is_no_answer() -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:9/")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    message = compose_test("ab" * 16, "metro", "成都地铁", "zh")
    with pytest.raises(SendError, match="answered 302"):
        Channel(f"http://127.0.0.1:{server.server_address[1]}/").send(message, NOON)
    thread.join()
    server.server_close()


def test_services_of_apprise_are_told_the_text(hook: Hook) -> None:
    message = compose("ab" * 16, [news(change(1, "成都地铁开通"))], "zh")
    Channel(hook.url.replace("http://", "json://").partition("?")[0]).send(message, NOON)
    (taken,) = hook.taken
    assert taken["title"] == message.subject
    assert "成都地铁开通" in taken["message"]


def test_a_ping_is_asked_with_its_end_behind_the_path(hook: Hook) -> None:
    base = hook.url.partition("?")[0]
    ask_ping(base, "hook")
    ask_ping(f"{base}/", "hook", "/fail")
    ask_ping(f"{base}?token=1", "hook", "/start")
    assert hook.asked == ["/hook", "/hook/fail", "/hook/start?token=1"]


@each_row(
    "address",
    [
        "hc-ping.com/SECRET",
        "http://127.0.0.1:9/x y SECRET",
        "http://127.0.0.1:SECRET/",
        "http://[SECRET",
        "file:///etc/SECRET",
    ],
)
def test_an_address_that_cannot_be_asked_is_told_without_itself(address: str) -> None:
    channel = Channel(address)
    message = compose("ab" * 16, [news(change(1, "成都地铁开通"))], "zh")
    attempts: list[Callable[[], None]] = [lambda: ask_ping(address, channel.shown, "/start")]
    if address.startswith("http"):  # what else there is goes to apprise
        attempts.append(lambda: channel.send(message, NOON))
    for attempt in attempts:
        with pytest.raises(SendError, match="is no address that can be asked") as error:
            attempt()
        assert "SECRET" not in str(error.value)
