"""Addresses that do something, in the forms that real software writes them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.actions import (
    NO_PAGES,
    TAILS,
    action_in,
    is_print_of,
    is_source_of,
    source_start,
    suffix_of,
    tail_of,
)
from focuscrawl.urls.traps import HARMLESS, harmless_in
from tests.tables import each_row

pytestmark = pytest.mark.refused_links

SITE = "http://www.example.cn"


@each_row(
    ("path", "action"),
    [
        # DokuWiki
        ("/doku.php?id=wiki:syntax&do=edit", "edit"),
        ("/doku.php?id=wiki:syntax&do=edit&rev=1700000000", "edit"),
        ("/wiki/syntax?do=revisions", "revisions"),
        ("/doku.php?id=start&rev=1700000000", "revisions"),
        ("/doku.php?id=start&rev=1700000000&do=diff", "revisions"),
        ("/doku.php?id=start&do=diff&rev2%5B0%5D=1700000000&difftype=sidebyside", "diff"),
        ("/doku.php?id=start&do=login&sectok=", "login"),
        # Cloudflare
        ("/cdn-cgi/l/email-protection", "manage"),
        ("/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8a", "manage"),
        ("/doku.php?id=start&do=register", "register"),
        ("/doku.php?id=start&do=resendpwd", "login"),
        ("/start?do=export_pdf", "print"),
        ("/start?do=draft", "edit"),
        # MediaWiki
        ("/w/index.php?title=Main_Page&action=edit&section=2", "edit"),
        ("/index.php?title=Main_Page&veaction=edit", "edit"),
        ("/index.php?title=New&action=edit&redlink=1", "edit"),
        ("/index.php?title=Main_Page&action=history", "revisions"),
        ("/index.php?title=Main_Page&oldid=123", "revisions"),
        ("/index.php?title=Main_Page&diff=prev&oldid=123", "diff"),
        ("/index.php?title=Special:UserLogin&returnto=Main+Page", "login"),
        ("/wiki/Special:UserLogin", "login"),
        ("/wiki/Special%3AUserLogout", "logout"),
        ("/wiki/Special:CreateAccount?returnto=Main+Page", "register"),
        ("/wiki/%E7%89%B9%E6%AE%8A:%E7%94%A8%E6%88%B7%E7%99%BB%E5%BD%95", "login"),
        ("/index.php?title=%E7%89%B9%E6%AE%8A:%E5%88%9B%E5%BB%BA%E8%B4%A6%E6%88%B7", "register"),
        ("/wiki/Special:Diff/123456", "diff"),
        ("/index.php?title=Special:Log&page=Main+Page", "revisions"),
        ("/wiki/Special:RecentChangesLinked/Main_Page", "revisions"),
        ("/wiki/%E7%89%B9%E6%AE%8A:%E9%93%BE%E5%85%A5%E9%A1%B5%E9%9D%A2/X", "manage"),
        ("/wiki/Special:WhatLinksHere/Main_Page", "manage"),
        ("/wiki/Special:Random", "manage"),
        ("/index.php?title=Main_Page&action=info", "revisions"),
        ("/doku.php?id=start&do=export_csv", "print"),
        ("/user?@template=register", "register"),
        ("/user?%40template=register", "register"),
        ("/report/1?format=csv", "print"),
        ("/wiki/Special:PermanentLink/123456", "revisions"),
        ("/index.php?title=Main_Page&action=watch", "manage"),
        ("/index.php?title=Main_Page&printable=yes", "print"),
        # MoinMoin, Trac, TWiki, PmWiki, Gitea, GitLab, Redmine
        ("/FrontPage?action=diff", "diff"),
        ("/FrontPage?action=print", "print"),
        ("/trac/wiki/WikiStart?action=edit", "edit"),
        ("/trac/wiki/WikiStart?action=history", "revisions"),
        ("/trac/wiki/WikiStart?version=3", "revisions"),
        ("/trac/wiki/WikiStart?action=diff&version=3", "diff"),
        ("/trac/newticket", "edit"),
        ("/trac/ticket/3?replyto=4", "reply"),
        ("/trac/login", "login"),
        ("/bin/edit/Main/WebHome?t=170", "edit"),
        ("/bin/rdiff/Main/WebHome?type=history", "diff"),
        ("/Main/WebHome?cover=print&rev=4", "revisions"),
        ("/user/login?redirect_to=%2fowner%2frepo", "login"),
        ("/user/sign_up", "register"),
        ("/owner/repo/_edit/main/README.md", "edit"),
        ("/owner/repo/issues/new", "edit"),
        ("/users/sign_in?redirect_to_referer=yes", "login"),
        ("/group/project/-/edit/main/README.md", "edit"),
        ("/group/project/-/issues/new?issue%5Btitle%5D=x", "edit"),
        ("/login?back_url=http%3A%2F%2Fwww.example.cn%2Fissues%2F12", "login"),
        ("/issues/12/edit", "edit"),
        ("/projects/p/wiki/Start/history", "revisions"),
        ("/pages/editpage.action?pageId=12", "edit"),
        ("/login.action?os_destination=%2Fdisplay%2FX", "login"),
        # WordPress and its shops
        ("/2026/11/post/?replytocom=12", "reply"),
        ("/archives/34?replytocom=5#respond", "reply"),
        ("/wp-login.php", "login"),
        ("/wp-login.php?action=logout&_wpnonce=0a1b", "logout"),
        ("/wp-login.php?redirect_to=http%3A%2F%2Fwww.example.cn%2Fp", "login"),
        ("/wp-admin/", "login"),
        ("/wp-admin/post.php?post=1&action=edit", "edit"),
        ("/post/?share=twitter&nb=1", "share"),
        ("/post/?like_comment=4&_wpnonce=0a", "manage"),
        ("/shop/?add-to-cart=12", "cart"),
        ("/shop/?add_to_wishlist=12", "cart"),
        ("/cart/?remove_item=0a1b&_wpnonce=1", "cart"),
        ("/my-account/lost-password/", "login"),
        ("/wp-comments-post.php", "reply"),
        # Drupal, Joomla, TYPO3, Typecho
        ("/user/login?destination=/node/12%23comment-form", "login"),
        ("/user/register?destination=node/12", "register"),
        ("/?q=user/login&destination=node/12", "login"),
        ("/user/password", "login"),
        ("/user/logout", "logout"),
        ("/comment/reply/node/12/comment/34", "reply"),
        ("/comment/reply/12", "reply"),
        ("/node/12/edit?destination=/node/12", "edit"),
        ("/node/12/delete", "delete"),
        ("/node/12/revisions", "revisions"),
        ("/node/add/article", "edit"),
        ("/index.php?option=com_users&view=login", "login"),
        ("/index.php?option=com_users&view=registration", "register"),
        ("/index.php?option=com_users&task=user.logout", "logout"),
        ("/12-title?tmpl=component&print=1&layout=default", "print"),
        ("/home?tx_felogin_pi1%5Bforgot%5D=1", "login"),
        ("/archives/12/comment-page-1?replyTo=5", "reply"),
        # Discuz!
        ("/member.php?mod=logging&action=login", "login"),
        ("/member.php?mod=logging&action=logout&formhash=0a", "logout"),
        ("/member.php?mod=register", "register"),
        ("/member.php?mod=zhuce8", "login"),
        ("/forum.php?mod=post&action=newthread&fid=2", "edit"),
        ("/forum.php?mod=post&action=reply&fid=2&tid=71", "reply"),
        ("/forum.php?mod=post&action=edit&fid=2&tid=71&pid=3", "edit"),
        ("/forum.php?mod=viewthread&action=printable&tid=71", "print"),
        ("/forum.php?mod=misc&action=recommend&do=add&tid=71", "manage"),
        ("/home.php?mod=spacecp&ac=favorite&type=thread&id=71", "manage"),
        ("/logging.php?action=login", "login"),
        ("/post.php?action=reply&fid=2&tid=71", "reply"),
        ("/post.php?action=newthread&fid=2", "edit"),
        ("/viewthread.php?action=printable&tid=71", "print"),
        # phpBB, MyBB, vBulletin, XenForo, SMF, Django, Flask
        ("/posting.php?mode=reply&f=2&t=71", "reply"),
        ("/forum/posting.php?mode=post&f=2", "edit"),
        ("/ucp.php?mode=login&redirect=viewtopic.php%3Ft%3D71", "login"),
        ("/ucp.php?mode=register", "register"),
        ("/ucp.php?mode=logout&sid=0a", "logout"),
        ("/viewtopic.php?f=2&t=71&view=print", "print"),
        ("/newreply.php?tid=71", "reply"),
        ("/newthread.php?fid=2", "edit"),
        ("/editpost.php?pid=3", "edit"),
        ("/member.php?action=login", "login"),
        ("/printthread.php?tid=71", "print"),
        ("/sendthread.php?tid=71", "share"),
        ("/usercp2.php?action=addfavorite&tid=71", "cart"),
        ("/newreply.php?do=newreply&noquote=1&p=3", "reply"),
        ("/login.php?do=lostpw", "login"),
        ("/register.php", "register"),
        ("/private.php?do=newpm&u=3", "manage"),
        ("/threads/title.71/reply", "reply"),
        ("/threads/title.71/reply?quote=3", "reply"),
        ("/posts/345/report", "manage"),
        ("/posts/345/share", "share"),
        ("/posts/345/react?reaction_id=1", "manage"),
        ("/forums/general.2/post-thread", "edit"),
        ("/login/", "login"),
        ("/register/?next=%2Ftopic%2F71", "register"),
        ("/misc/style?redirect=%2Fthreads%2F", "login"),
        ("/index.php?action=post;topic=71.0;last_msg=345", "reply"),
        ("/index.php?action=printpage;topic=71.0", "print"),
        ("/index.php?action=login", "login"),
        ("/login?next=/topic/71", "login"),
        ("/login?next=%2Flogin%3Fnext%3D%252Ftopic%252F71", "login"),
        ("/auth/login?next=%2Ft%2F71%2F", "login"),
        ("/accounts/login/?next=/t/71/", "login"),
        ("/accounts/register/", "register"),
        ("/topic/71/title/reply/", "reply"),
        ("/topic/71/edit", "edit"),
        ("/auth/github?next=%2Ft", "login"),
        # Spirit, and what other forums made with Django or Rails do by their paths
        ("/user/login/?next=/comment/71/publish/", "login"),
        ("/user/password-reset/", "login"),
        ("/comment/71/publish/", "reply"),
        ("/comment/71/publish/345/quote/", "reply"),
        ("/comment/345/update/", "edit"),
        ("/comment/like/345/create/", "manage"),
        ("/topic/publish/", "edit"),
        ("/topic/publish/2/", "edit"),
        ("/topic/update/71/", "edit"),
        ("/topic/moderate/delete/71/", "manage"),
        ("/topic/favorite/71/create/", "manage"),
        ("/topic/poll/vote/3/", "manage"),
        ("/posts/345/like", "manage"),
        # shops
        ("/user.php?act=login", "login"),
        ("/user.php?act=register", "register"),
        ("/user.php?act=get_password", "login"),
        ("/user.php?act=collect&id=12", "cart"),
        ("/flow.php?step=add_to_cart", "cart"),
        ("/index.php?main_page=login", "login"),
        ("/index.php?main_page=product_info&products_id=12&action=buy_now", "cart"),
        ("/index.php?route=account/login", "login"),
        ("/checkout/cart/add/uenc/aHR0cA,,/product/12/", "cart"),
        ("/wishlist/index/add/product/12/", "cart"),
        ("/customer/account/login/referer/aHR0cA,,/", "login"),
        ("/sendfriend/product/send/id/12/", "share"),
        ("/cart/add?id=12", "cart"),
        # DedeCMS, PHPCMS and what is made by hand in China
        ("/member/login.php", "login"),
        ("/member/index_do.php?fmdo=user&dopost=regnew", "register"),
        ("/plus/stow.php?aid=12", "manage"),
        ("/plus/posttocar.php?id=12", "cart"),
        ("/index.php?m=member&c=index&a=login", "login"),
        ("/index.php?m=member&c=index&a=register&siteid=1", "register"),
        ("/User/Reg.asp", "register"),
        ("/user/userreg.asp", "register"),
        ("/Login.aspx?ReturnUrl=%2fnews%2f12.aspx", "login"),
        ("/Article_Print.asp?ArticleID=12", "print"),
        ("/print.asp?id=12", "print"),
        ("/SendMail.asp?ArticleID=12", "share"),
        ("/denglu.html", "login"),
        ("/index.php?s=/user/login.html", "login"),
        ("/index.php?r=site/login", "login"),
        ("/admin/login.asp", "login"),
        # elsewhere
        ("/sharer/sharer.php?u=http%3A%2F%2Fwww.example.cn%2F12", "share"),
        ("/share/share.php?url=http%3A%2F%2Fwww.example.cn%2F12&title=x", "share"),
        ("/news/12.html?print=1", "print"),
        ("/news/12/print", "print"),
        ("/news/title-of-it-4711/print/", "print"),
        ("/news/12/update", "edit"),
        ("/posts/345/quote", "reply"),
        ("/post.php?action=quote&fid=2&tid=71", "reply"),
        ("/index.php?act=quote&t=71", "reply"),
        ("/bbs/reply.asp?boardid=2&TopicID=71", "reply"),
        ("/oauth/authorize?client_id=1&redirect_uri=https%3A%2F%2Fa.cn%2F", "login"),
    ],
)  # fmt: skip
def test_what_an_address_does_is_known_by_its_names(path: str, action: str) -> None:
    assert action_in(SITE + path) == action


@each_row(
    "path",
    [
        "/",
        "",
        "/login-security-guide.html",
        "/news/login/how-to.html",
        "/articles/how-to-login",
        "/blog/edit-war/",
        "/news/edition/",
        "/register/",
        "/register",
        "/register/2026/company-12.html",
        "/register.html",
        "/registration/",
        "/users/12?from=%2Fnews%2F",
        "/members/join/",
        "/print/",
        "/print/2026/11/20/",
        "/2026/print/",
        "/2026/report/",
        "/2026/share/",
        "/reply/",
        "/mailbox/reply/12.html",
        "/mailbox/reply/",
        "/share/",
        "/about/history/",
        "/about.asp?action=history",
        "/history?version=3",
        "/issues/new/",
        "/services/typo3/",
        "/logistics/12.html",
        "/login/history/museum.html",
        "/doku.php?id=wiki:syntax",
        "/doku.php?id=start&do=show",
        "/doku.php?id=start&do=index",
        "/doku.php?do=search&q=edit",
        "/index.php?title=Main_Page",
        "/index.php?title=Login",
        "/wiki/Help:Diff",
        "/wiki/Help:Preferences",
        "/wiki/Special:RecentChanges",
        "/film?action=info&id=3",
        "/issue12?@template=item",
        "/report/1?format=rss",
        "/wiki/Special:AllPages",
        "/wiki/Talk:Edit",
        "/wiki/Diff",
        "/wiki/Edit_(film)",
        "/2026/11/post/feed/",
        "/post/?share=12",
        "/?s=login",
        "/?q=login",
        "/?q=add-to-cart",
        "/watch?v=12",
        "/film.php?action=watch&id=12",
        "/news.php?action=view&id=12",
        "/news.php?action=show&id=12",
        "/news.php?action=list&page=2",
        "/news.php?action=post&id=12",
        "/news.php?act=report&id=12",
        "/list.php?id=3&type=98",
        "/forum.php?mod=viewthread&tid=71",
        "/forum.php?mod=forumdisplay&fid=2",
        "/forum.php?mod=redirect&goto=lastpost&tid=71",
        "/home.php?mod=space&uid=3&do=profile",
        "/home.php?mod=space&do=share&view=all",
        "/viewtopic.php?t=71&view=next",
        "/memberlist.php",
        "/memberlist.php?mode=viewprofile&u=3",
        "/member.php?action=profile&uid=3",
        "/member.php?u=3",
        "/showthread.php?tid=71&action=lastpost",
        "/threads/title.71/",
        "/topic/71/title/",
        "/topics/update-of-the-week/",
        "/topic/active/",
        "/post/delete-your-account-how-to.html",
        "/posts/like/",
        "/comment/345/find/",
        "/2026/update/",
        "/2026/move/12.html",
        "/covid-19/update/",
        "/covid-2019/update/",
        "/win11/update.html",
        "/web3/create/",
        "/5g/publish.html",
        "/ps5/remove.html",
        "/2026-05/print/",
        "/stock?action=quote&code=600000",
        "/stock/600000/quote",
        "/b/reply.jsp?id=5",
        "/b/reply.jsp",
        "/create/",
        "/threads/title.71/latest",
        "/index.php?topic=71.0",
        "/index.php?action=profile;u=3",
        "/plus/view.php?aid=12",
        "/plus/list.php?tid=3",
        "/plus/feedback.php?aid=12",
        "/plus/guestbook.php",
        "/goods.php?id=12",
        "/category.php?id=12",
        "/group_buy.php?act=view&id=1",
        "/supply.php?action=buy",
        "/shop/cart-covers/",
        "/shop/?orderby=price",
        "/subscription.php",
        "/private.php",
        "/show.asp?id=12&from=list",
        "/article.asp?id=12&url=http%3A%2F%2Fa.cn%2F",
        "/jump.php?url=http%3A%2F%2Fa.cn%2F12.html",
        "/print.html",
        "/post.php?id=12",
        "/edit",
        "/diff/2026/",
        "/news/12.html?print=12345",
    ],
)
def test_a_page_to_read_is_none_of_them(path: str) -> None:
    assert action_in(SITE + path) is None


SEGMENTS = st.sampled_from(
    [
        "news", "12", "2026", "login", "Login.php", "login.html", "wiki", "edit", "Start", "diff", "history",
        "comment", "reply", "cart", "add", "posting.php", "user", "register", "threads", "x.71", "posts",
        "345", "share", "issues", "new", "bin", "_edit", "main", "wp-admin", "print", "print.php",
        "index.php", "node", "sendfriend", "customer", "account", "sessions", "xmlrpc.php", "delete",
        "topic", "topics", "publish", "update", "2", "post-thread", "newticket", "revisions", "administrator", "logout", "reg.asp", "-", "a.html",
    ]
)  # fmt: skip


@given(st.lists(SEGMENTS, min_size=1, max_size=5), st.sampled_from(["", "/"]))
def test_a_harmless_path_does_nothing_unless_its_end_may(segments: list[str], end: str) -> None:
    path = "".join(f"/{segment}" for segment in segments) + end
    if (HARMLESS.fullmatch(path) or harmless_in(2026).fullmatch(path)) and tail_of(
        path
    ) not in TAILS:
        assert action_in(SITE + path) is None


@pytest.mark.timed
def test_no_address_takes_long() -> None:
    units = ["a1", "A", "/wiki", "/topics", "/12", "1", "/a", "/Edit", "/cart/a", "_", "/login", "&a=", "%3A", ":", "="]  # fmt: skip
    ends = [
        "/edit",
        "/print",
        "/reply/x",
        "/add",
        "/history/y",
        "print.php?a=b",
        "/login?next=",
        "?title=",
    ]
    start = time.process_time()
    for unit in units:
        for end in ends:
            action_in(f"{SITE}/{(unit * 2000)[:2000]}{end}")
            action_in(f"{SITE}/x?{(unit * 2000)[:2000]}{end}")
    assert time.process_time() - start < 2, "240 addresses"


@given(st.text(alphabet=st.characters(max_codepoint=126), max_size=80))
def test_no_address_raises(rest: str) -> None:
    found = action_in(f"{SITE}/{rest}")
    assert found is None or found.isalpha()


@each_row(
    ("url", "page", "is_print"),
    [
        ("/2026/11/title/print/", "/2026/11/title/", True),
        ("/2026/11/title/print", "/2026/11/title", True),
        ("/print/docs/setup/", "/docs/setup/", True),
        ("/print/12", "/node/12", True),
        ("/print/", "/", False),
        ("/print/2026/", "/2025/", False),
        ("/print/12", "/news/13", False),
        ("/print/page2/", "/print/", False),
        ("/footprint/12", "/12", False),
    ],
)
def test_a_print_version_is_known_beside_its_page(url: str, page: str, is_print: bool) -> None:
    assert is_print_of(SITE + url, SITE + page) is is_print


@each_row(
    ("url", "page", "is_source"),
    [
        ("/posts/x/index.rst", "/posts/x/", True),
        ("/posts/x/index.md?raw=1", "/posts/x/?page=2", True),
        ("/docs/setup.rst.txt", "/docs/setup.html", True),
        ("/docs/setup.md", "/docs/install.html", False),
        ("/docs/index.md", "/docs/setup.html", False),
        ("/news/index.xml", "/news/", False),
        ("/news/index.html", "/news/", False),
        ("/docs/setup.fr.html", "/docs/setup.html", False),
        ("/wiki/Node.js", "/wiki/Node", False),
        ("/docs/setup.d/x.md", "/docs/setup.html", False),
    ],
)
def test_the_text_that_a_page_was_made_from_is_known_beside_it(
    url: str, page: str, is_source: bool
) -> None:
    start = source_start(SITE + page)
    assert (bool(start) and is_source_of(SITE + url, start)) is is_source


@each_row(
    ("url", "suffix"),
    [
        ("http://example.cn/a/b.JPG", "jpg"),
        ("http://example.cn/b.tar.gz?x=1", "gz"),
        ("http://example.cn/x.php?file=a.zip", "php"),
        ("http://example.zip/", ""),
        ("http://example.cn/v1.2/news", ""),
        ("http://example.cn/news.", ""),
    ],
)
def test_a_suffix_belongs_to_the_last_part_of_the_path(url: str, suffix: str) -> None:
    assert suffix_of(url) == suffix


@each_row("suffix", ["html", "shtml", "php", "aspx", "jsp", "do", "xml", "rss", "cn", ""])
def test_pages_and_feeds_are_asked_for(suffix: str) -> None:
    assert suffix not in NO_PAGES


@each_row("suffix", ["jpg", "zip", "rar", "mp4", "pdf", "doc", "css", "js", "apk"])
def test_files_are_not(suffix: str) -> None:
    assert suffix in NO_PAGES
