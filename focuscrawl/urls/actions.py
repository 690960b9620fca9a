"""Addresses that are no page to read: what edits, logs in, replies, buys or prints, and files.

A guest asks for none that do something instead of showing a page: a wiki locks the page whose
``do=edit`` is fetched, a comment form for each comment (``replytocom``) is the whole article once more,
a login page with its return address has another address on every page. What an address does is read
from whole names and values, never from a part of a word: ``/login-security-guide.html`` and
``/news/edition/`` are pages.

The names are those of DokuWiki, MediaWiki, MoinMoin, Trac, TWiki, Gitea, GitLab, Redmine, WordPress,
WooCommerce, Drupal, Joomla, TYPO3, Typecho, Discuz!, phpBB, MyBB, vBulletin, XenForo, SMF, PHPWind,
ECShop, Zen Cart, OpenCart, Magento, DedeCMS, PHPCMS, and what Chinese hand-made sites write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

NO_PAGES = frozenset({
    # pictures
    "jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "ico", "svg", "svgz", "webp", "avif",
    "heic", "tif", "tiff", "psd", "eps", "dxf", "dwg", "cdr",
    # sound and film
    "mp3", "m4a", "wav", "flac", "ape", "ogg", "oga", "opus", "wma", "aac", "amr", "mid",
    "midi", "mp4", "m4v", "m4s", "avi", "mov", "mkv", "webm", "wmv", "flv", "f4v", "mpg",
    "mpeg", "3gp", "rmvb", "rm", "asf", "vob", "ts", "m3u8", "swf",
    # archives and programs
    "zip", "rar", "7z", "gz", "tgz", "bz2", "xz", "tar", "zst", "lz", "jar", "war", "iso",
    "img", "dmg", "exe", "msi", "apk", "xapk", "ipa", "deb", "rpm", "cab", "bin", "dll",
    "torrent",
    # office documents, books and prints
    "pdf", "doc", "docx", "docm", "dotx", "xls", "xlsx", "xlsm", "xlsb", "xlt", "ppt", "pptx",
    "pptm", "pps", "ppsx", "odt", "ods", "odp", "odg", "rtf", "wps", "dps", "csv", "epub",
    "mobi", "azw3", "djvu", "caj", "ofd",
    # parts of pages
    "css", "js", "mjs", "woff", "woff2", "ttf", "otf", "eot", "wasm",
})  # fmt: skip
"""File name endings of what is no page: a crawler that reads text does not ask for these."""

EDIT, REVISIONS, DIFF = "edit", "revisions", "diff"
LOGIN, LOGOUT, REGISTER = "login", "logout", "register"
REPLY, DELETE, CART, _SHARE, PRINT = "reply", "delete", "cart", "share", "print"
MANAGE = "manage"
"""Settings, messages, votes and subscriptions of a user who has logged in."""


def _words(text: str) -> list[str]:
    return text.split()


def _each(action: str, words: str) -> dict[str, str]:
    return dict.fromkeys(_words(words), action)


# Parameters -------------------------------------------------------------------------------------

_VERBS = frozenset(
    _words(
        "action act a do mode mod op task cmd view step dopost fmdo ac layout format main_page"
        " controller xpage @template"
    )
)
"""Parameters whose value says what is done, if anything is."""

DEEDS = (
    _each(EDIT, "edit editpost editpage editsection submit newthread newtopic newpost newpoll")
    | _each(EDIT, "newticket draft rename move protect unprotect rollback revert upload attach")
    | _each(REVISIONS, "revisions oldrev")
    | _each(DIFF, "diff rdiff")
    | _each(LOGIN, "login logon logging signin dologin userlogin loginform denglu lostpassword")
    | _each(LOGIN, "lostpw lostpasswd forgotpassword forgotpasswd getpassword resetpassword")
    | _each(LOGIN, "resetpwd resendpwd resendpassword reminder authentication")
    | _each(LOGOUT, "logout logoff signout")
    | _each(REGISTER, "register registration signup regnew reg createaccount zhuce")
    | _each(REPLY, "reply newreply quotefast postreply addcomment addreply")
    | _each(DELETE, "delete del remove deletepost deletemsg deletethread purge destroy")
    | _each(CART, "addtocart addcart buynow addproduct addtowishlist addwishlist collect")
    | _each(CART, "addfavorite addfav addbooking")
    | _each(_SHARE, "sendtofriend emailtofriend tellafriend sendtopic sendthread sendpage")
    | _each(PRINT, "print printable printpage printview printthread printarticle")
    | _each(PRINT, "printerfriendly exportpdf exportxhtml exportraw exportcsv csv tsv")
    | _each(MANAGE, "subscribe unsubscribe markread markasread markforumsread notify vote newpm")
    | _each(MANAGE, "sendpm addfriend usercp spacecp topicadmin modcp ajax misc admin")
)
"""Values of VERBS in lower case, without ``-`` and ``_``."""

_PARAMETER_NAMES = (
    _each(REPLY, "replytocom replyto unapproved moderation-hash")
    | _each(CART, "add-to-cart add_to_cart add_to_wishlist remove_item undo_item removed_item")
    | _each(EDIT, "veaction redlink undoafter")
    | _each(MANAGE, "like_comment")
    | _each(LOGIN, "goaheadandlogin")
    | _each(LOGOUT, "logintype")
)
"""Parameters that do something whatever their value."""

REVISION_NAMES = _each(REVISIONS, "oldid rev") | _each(DIFF, "diff rev2[] rev2[0] rev2[1]")
REVISION = re.compile(r"\d+|prev|next|cur", re.IGNORECASE)

SWITCHES = frozenset(_words("print printable printer_friendly printview print_view printpage"))
ON = frozenset(["", "1", "2", "true", "yes", "on", "y", "print", "pdf", "print-page"])
SHARED_WITH = frozenset(
    _words(
        "facebook twitter x linkedin pinterest reddit tumblr telegram whatsapp jetpack-whatsapp pocket"
        " email skype press-this google-plus-1 mastodon threads bluesky nextdoor print weibo wechat"
        " weixin qq qzone douban line hatena"
    )
)
RETURNS = frozenset(  # with a word of ACCOUNT_FOLDER only
    _words(
        "next return returnto return_to return_url returnurl redirect redirect_to redirect_url redirecturl"
        " redirect_uri redirect_to_referer destination dest referer referrer back backurl back_url backto"
        " goto gotourl gourl continue forward from service jump jumpurl came_from os_destination"
        " xredirect oldurl preurl fromurl url source"
    )
)
"""Parameters that say where to go after logging in."""

OF_THREAD = frozenset(
    _words(
        "p pid post postid post_id t tid topic topicid topic_id thread threadid thread_id msg msgid"
        " commentid comment_id"
    )
)
"""Parameters that number a post or its thread: with one of them a quote is none of a share's price,
and a reply none of an office's answers to letters."""

_TOGETHER = (
    RETURNS
    | OF_THREAD
    | frozenset(_words("action act do mode mod title version board u href link text status"))
)
"""Parameters that say something only with others, or with the path."""

_GIVEN_ADDRESS = re.compile(r"https?:|[^?]*/|[\w.-]+\.\w+(?:\?|$)|yes$|%2f", re.IGNORECASE)
LAST_WORD = re.compile(r"[./:]")
ROUTES = frozenset(["q", "r", "s", "route"])
"""Parameters that hold a path: ``?q=user/login``, ``?r=site/login``."""

SPEAKING = (
    _VERBS
    | _PARAMETER_NAMES.keys()
    | REVISION_NAMES.keys()
    | SWITCHES
    | ROUTES
    | {"share", "title"}
)

# Paths ------------------------------------------------------------------------------------------

LOGGING_IN = _words(
    "login logon log-in log_in signin sign-in sign_in userlogin user_login login_form loginform"
    " wp-login denglu lost-password lostpassword lost_password forgot-password forgotpassword"
    " forgot_password password-reset password_reset reset-password resend-activation"
)
LOGGING_OUT = _words("logout log-out log_out logoff signout sign-out sign_out")
SIGNING_UP = _words(
    "signup sign-up sign_up createaccount create_account create-account userreg user_reg wp-signup"
    " join_form"
)
MAYBE_SIGNING_UP = _words("register registration regist reg zhuce")
"""Not by the word alone: ``/register/`` may be an office. With an account before it or a script."""

ACCOUNTS = _words(
    "user users account accounts auth member members my-account customer customers passport"
)
SCRIPTS = (
    _each(EDIT, "posting newthread newtopic editpost editpage edit modify createpage")
    | _each(REPLY, "newreply reply addcomment add_comment wp-comments-post")
    | _each(DELETE, "delete del")
    | _each(CART, "addcart addtocart add_to_cart add_cart shopcar shopcart posttocar buy_now")
    | _each(_SHARE, "sendmessage sendthread sendemail sendfriend sendmail tell_a_friend")
    | _each(MANAGE, "ucp usercp usercp2 mcp modcp private pm subscription reputation threadrate")
    | _each(MANAGE, "ratethread inlinemod moderation managegroup xmlrpc stow")
    | _each(LOGIN, "logging")
    | _each(DIFF, "diffpages diffpagesbyversion")
    | _each(REVISIONS, "viewpreviousversions")
)
"""Files that are programs of this name: ``posting.php``, ``SendMail.asp``."""

OF_A_POST = (
    _each(EDIT, "edit")
    | _each(DELETE, "delete remove")
    | _each(REPLY, "reply quote")
    | _each(PRINT, "print")
    | _each(REVISIONS, "revisions")
    | _each(_SHARE, "share email")
    | _each(MANAGE, "react like bookmark report vote upvote downvote")
    | _each(EDIT, "update create move undelete")
    | _each(REPLY, "publish")
)
"""Last folders behind the number of a page or post: ``/node/12/edit``, ``/posts/3456/share``."""

PROGRAM = r"\.(?:php\d?|aspx?|jsp|do|action|cgi|pl|cfm)"
_PROGRAM_FILE = rf"(?:{PROGRAM}|\.s?html?)?"
_ADDRESS_END = r"(?:/(?:index|default)\.\w+)?/?$"


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))


# Nothing is tried twice (?>…, ++): an address may be made to take long.
IN_WIKI = r"^(?>.*?/wikis?/).+/"
IN_THREAD = r"^(?>.*?/(?:threads?|topics?|discussions?)/).+/"
OF_FORUM = r"/(?:topic|thread|comment|post|poll)s?/"
_PATH_NUMBER = r"/(?:\d++|[^/]*-(?!(?:19|20)\d\d/)\d{3,}+)"  # not /covid-19/, /win11/, /2026-05/
PATHS = tuple(
    (re.compile(expression, re.IGNORECASE), action)
    for expression, action in (
        (rf"/(?:{_any_of(LOGGING_IN)}){_PROGRAM_FILE}{_ADDRESS_END}", LOGIN),
        (rf"/(?:{_any_of(LOGGING_OUT)}){_PROGRAM_FILE}{_ADDRESS_END}", LOGOUT),
        (rf"/(?:{_any_of(SIGNING_UP)}){_PROGRAM_FILE}{_ADDRESS_END}", REGISTER),
        (rf"/(?:{_any_of(MAYBE_SIGNING_UP)}){PROGRAM}{_ADDRESS_END}", REGISTER),
        (
            rf"/(?:{_any_of(ACCOUNTS)})/(?:{_any_of(MAYBE_SIGNING_UP)}){_PROGRAM_FILE}{_ADDRESS_END}",
            REGISTER,
        ),
        (r"/(?:wp-admin|_layouts)(?:/|$)|^/administrator/(?:index\.php)?$", LOGIN),
        (r"/sessions?/new/?$|/(?:user|account)/(?:password|forgot)/?$", LOGIN),
        (r"/customer/account/|/bin/(?:login|logon)/", LOGIN),
        (r"/bin/(?:edit|attach|rename|manage|upload|save)/|/node/add(?:/|$)", EDIT),
        (rf"/bin/rdiff/|{IN_WIKI}diff/?$", DIFF),
        (r"/_(?:edit|new|delete|upload|fork)/|/-/(?:edit|new|delete)/", EDIT),
        (r"/[^/]+/[^/]+/(?:-/)?(?:issues|pulls|merge_requests)/new/?$|/newticket/?$", EDIT),
        (r"/(?:post-thread|create-thread|newtopic|new-topic|newthread)/?$", EDIT),
        (rf"{IN_WIKI}edit/?$", EDIT),
        (rf"{IN_WIKI}history/?$", REVISIONS),
        (rf"{OF_FORUM}(?:publish|create|update|move|edit)(?:/\d+)?/?$", EDIT),
        (rf"{OF_FORUM}(?:delete|undelete|remove)/\d+/?$", DELETE),
        (
            rf"{OF_FORUM}(?:like|flag|bookmark|favorite|notification|vote|moderate)/(?:[a-z-]+/)?\d+(?:/|$)",
            MANAGE,
        ),
        (rf"{OF_FORUM}\d+/publish/\d+/quote/?$", REPLY),
        (rf"/comment/reply(?:/|$)|{IN_THREAD}(?:add-)?reply/?$", REPLY),
        (r"/(?:cart|basket|shopcart|wishlist|product_compare)/(?:[^/]+/)?add(?:[/.]|$)", CART),
        (r"/sendfriend/", _SHARE),
        # What a service in front of the site does for itself: challenges, hidden addresses of mail.
        (r"^/cdn-cgi/(?!image/)", MANAGE),
    )
)
OF_POST = re.compile(  # /2026/print/ may be the printed paper of that year, /2026/report/ its report
    rf"(?:{_PATH_NUMBER}/(?=edit|delete|remove|revisions)|(?!/(?:19|20)\d\d/){_PATH_NUMBER}/(?=reply|print|publish|update|create|move|undelete)"
    rf"|/posts?/\d+/)({_any_of(OF_A_POST)}){_PROGRAM_FILE}/?$",
    re.IGNORECASE,
)
SCRIPT = re.compile(rf"/({_any_of(SCRIPTS)}){PROGRAM}$", re.IGNORECASE)
BY_FILE_ALONE = frozenset([EDIT, REPLY, DELETE, CART, LOGIN])
"""What a program's name says without parameters; ``subscription.php`` may be a page to read."""

PRINT_SCRIPT = re.compile(
    rf"/(?:\w+_)?print(?:able|page|view|thread|article|er)?{PROGRAM}$", re.IGNORECASE
)
ACCOUNT_FOLDER = re.compile(
    rf"/(?:({_any_of([*SIGNING_UP, *MAYBE_SIGNING_UP, 'join'])})|{_any_of(LOGGING_IN)}"
    rf"|auth|authorize|oauth2?|sso|cas|misc/style){_PROGRAM_FILE}(?:/[^/]*)?/?$",
    re.IGNORECASE,
)
SHARER = re.compile(
    rf"/(?:sharer?|sharearticle|shareqq|tweet|cgi_qzshare_onekey|submit){_PROGRAM_FILE}/?$",
    re.IGNORECASE,
)

SPECIAL = frozenset(
    _words(
        "special 特殊 特別 特别 spezial spécial especial speciale speciaal specjalna speciel spesial"
        " служебная 특수"
    )
)
WIKI_PAGES = (
    _each(LOGIN, "userlogin changepassword passwordreset 用户登录 使用者登入")
    | _each(LOGOUT, "userlogout 用户退出 使用者登出")
    | _each(REGISTER, "createaccount 创建账户 创建账号 建立帳號 建立帳戶")
    | _each(MANAGE, "preferences watchlist editwatchlist userrights block 参数设置 监视列表")
    | _each(EDIT, "upload movepage 上传文件 移动页面")
    | _each(DELETE, "deletepage undelete")
    | _each(_SHARE, "emailuser")
    | _each(DIFF, "diff comparepages 差异")
    | _each(
        REVISIONS,
        "permanentlink 固定链接 固定連結 log 日志 日誌 recentchangeslinked relatedchanges 链出更改",
    )
    | _each(
        MANAGE, "whatlinkshere 链入页面 連入頁面 random randompage randomrootpage 随机页面 隨機頁面"
    )
    | _each(MANAGE, "citethispage cite 引用此页面 urlshortener")
)
"""MediaWiki's special pages (``Special:UserLogin``) by the name behind the colon."""

_DEED = (
    "s?/(?:publish|create|update|move|edit|delete|undelete|remove|like|flag|bookmark|favorite"
    "|notification|vote|moderate|reply)"
)
INNER = (  # one branch for each first letter: most segments have none of them
    rf"t(?:opic|hread){_DEED}|p(?:(?:ost|oll){_DEED}|roduct_compare/)"
    rf"|c(?:omment{_DEED}|art/|ustomer/account|dn-cgi/)|Cart/|w(?:p-admin|ishlist/)|b(?:in|asket)/"
    r"|[_-](?:/|edit/|new/|delete/|upload/|fork/|layouts)|node/add|s(?:hopcart|endfriend)/"
    r"|[lL]og(?:in|out|on|off)/index|administrator/"
)
"""How a segment goes on, behind its slash, with which a path may do something whatever its end is."""

MAY_ACT = re.compile(rf"/(?:{INNER})")

ENDINGS = " / .html .htm .shtml .php .asp .aspx .jsp .do .action .cgi .pl .cfm .php5 .php7"
TAILS = frozenset(
    spelled + ending
    for word in (
        *(*LOGGING_IN, *LOGGING_OUT, *SIGNING_UP, *MAYBE_SIGNING_UP, *SCRIPTS, *OF_A_POST),
        *_words("new password forgot add history diff newticket post-thread create-thread"),
        *_words("new-topic newtopic newthread add-reply"),
    )
    for spelled in (word, word.capitalize())
    for ending in ENDINGS.split(" ")
)
"""Last segments with which a path without parameters may do something.

They are looked up for every new link. What acts by its other folders is not harmless
(``urls.traps.harmless_in``).
"""


def suffix_of(url: str) -> str:
    """Return the file name ending of a canonical address, lower case without dot; "" for none."""
    path = url[: url.index("?")] if "?" in url else url
    dot = path.rfind(".", path.rfind("/"))
    return path[dot + 1 :].lower() if dot > 0 else ""


def tail_of(url: str) -> str:
    """Return the last segment of an address without parameters, with its slash if it has one."""
    return url[url.rfind("/", 0, -1) + 1 :]


def action_in(url: str) -> str | None:
    """Return what an absolute address does, None when it is a page to read."""
    head, _, query = url.partition("?")
    start = head.find("/", head.find("://") + 3)
    path = head[start:] if start >= 0 else "/"
    return (_by_query(path, query) if query else None) or _by_path(path, query)


def is_print_of(url: str, page: str) -> bool:
    """Whether an address is the print version of another: its folders, and one named print."""
    path, own = urlsplit(url).path.rstrip("/"), urlsplit(page).path.rstrip("/")
    if path.endswith("/print") and own:
        return own.removesuffix("/") == path.removesuffix("/print")
    before, found, after = path.partition("/print/")
    return bool(found and after) and (
        own == f"{before}/{after}" or own.rpartition("/")[2] == after.rpartition("/")[2] != ""
    )


FILES_OF_PAGES = frozenset(
    (
        "html",
        "htm",
        "xhtml",
        "shtml",
        "shtm",
        "php",
        "php3",
        "asp",
        "aspx",
        "jsp",
        "jspx",
        "do",
        "cfm",
    )
)
PAGE_ENDINGS = FILES_OF_PAGES | {"xml", "rss", "atom", "rdf", "json"}
"""Endings of pages and feeds: ``index.xml`` beside a page is what the page says, for machines."""


def source_start(page: str) -> str:
    """Return how the address of the text begins that a page was made from; "" where nothing tells.

    That is ``/posts/x/index.`` of ``/posts/x/``, ``x.`` of ``x.html``. A page without any ending tells nothing: a wiki's
    ``Node.js`` is no form of ``Node``.
    """
    own = page.partition("?")[0]
    if own.endswith("/"):
        return f"{own}index."
    suffix = suffix_of(own)
    return own[: -len(suffix)] if suffix in PAGE_ENDINGS else ""


def is_source_of(url: str, start: str) -> bool:
    """Whether an address is the text that a page was made from: its name, with an ending that no page has.

    ``start`` is the page's ``source_start``.
    """
    return (
        url.startswith(start)
        and suffix_of(url) not in PAGE_ENDINGS
        and "/" not in url[len(start) :]
    )


def _by_path(path: str, query: str) -> str | None:
    if ":" in path or "%3" in path:
        for segment in path.split("/")[-2:]:
            if action := _special(segment):
                return action
    if tail_of(path).lower() in TAILS or MAY_ACT.search(path):  # of most addresses this is all
        for pattern, action in PATHS:
            if pattern.search(path):
                return action
        if found := OF_POST.search(path):
            return OF_A_POST[found[1].lower()]
        if found := SCRIPT.search(path):
            name = found[1].lower()
            if name == "reply" and not _names_thread(query):
                return None
            action = SCRIPTS[name]
            return action if query or action in BY_FILE_ALONE else None
    return PRINT if query and PRINT_SCRIPT.search(path) else None


def _names_thread(query: str) -> bool:
    fields = query.lower().replace(";", "&").split("&")
    return any(field.partition("=")[0] in OF_THREAD for field in fields)


def _by_query(path: str, query: str) -> str | None:
    together: dict[str, str] = {}
    for field in query.replace(";", "&").split("&"):
        name, _, value = field.partition("=")
        name = (unquote(name) if "%" in name else name).lower()
        value = unquote(value) if "%" in value else value
        if action := _by_field(name, value):
            # Discuz! calls both logging
            return LOGOUT if action is LOGIN and "logout" in query.lower() else action
        if name in _TOGETHER:
            together[name] = value
    return _by_fields(path, together) if together else None


def _by_field(name: str, value: str) -> str | None:
    """Return what one parameter says by itself; ``name`` is in lower case, both without escapes."""
    if name not in SPEAKING:  # most
        return LOGIN if name.startswith("tx_felogin") else None
    if name in _VERBS:
        deed = LAST_WORD.split(value.lower())[-1]
        return DEEDS.get(deed.replace("-", "").replace("_", ""))
    if name in _PARAMETER_NAMES:
        return _PARAMETER_NAMES[name]
    if name in REVISION_NAMES:
        return REVISION_NAMES[name] if REVISION.fullmatch(value) else None
    if name in SWITCHES:
        return PRINT if value.lower() in ON else None
    if name == "share":
        return _SHARE if value.lower() in SHARED_WITH else None
    if name == "title":
        return _special(value)
    return _by_path(f"/{value.lstrip('/')}", "") if "/" in value else None  # one of ROUTES


def _by_fields(path: str, fields: dict[str, str]) -> str | None:
    """Return what several parameters say together, or one of them with the path."""
    deed = fields.get("action") or fields.get("do")
    if ("title" in fields or "/wiki/" in path) and (found := _of_wiki(deed, fields)):
        return found
    if deed == "share" and fields.get("mod") != "space":  # Discuz!: a list of what was shared
        return _SHARE
    if deed == "post" and not fields.keys().isdisjoint(("topic", "board")):
        return REPLY
    is_quote = any(fields.get(verb) == "quote" for verb in ("action", "act", "do", "mode"))
    if is_quote and not fields.keys().isdisjoint(OF_THREAD):
        return REPLY
    if fields.get("mod") == "post" and path.endswith("/forum.php"):
        return REPLY
    if "mod" in fields and path.endswith("/member.php"):
        return LOGIN
    return _by_address(path, fields)


def _of_wiki(deed: str | None, fields: dict[str, str]) -> str | None:
    """Return what is asked for of a wiki's page: its versions, or notices of its changes."""
    if deed in {"history", "info", "credits"} or "version" in fields:
        return REVISIONS
    return MANAGE if deed in {"watch", "unwatch"} else None  # elsewhere a film


def _by_address(path: str, fields: dict[str, str]) -> str | None:
    """Return what is done with an address among the parameters: to come back to it from an account, or to share it."""
    returns = any(name in RETURNS and _GIVEN_ADDRESS.match(value) for name, value in fields.items())
    if returns and (found := ACCOUNT_FOLDER.search(path)):
        return REGISTER if found[1] else LOGIN
    leads = any(value.startswith(("http://", "https://")) for value in fields.values())
    return _SHARE if leads and SHARER.search(path) else None


def _special(title: str) -> str | None:
    """Return what a wiki's special page does."""
    title = unquote(title) if "%" in title else title
    namespace, colon, name = title.partition(":")
    if not colon or namespace.lower() not in SPECIAL:
        return None
    return WIKI_PAGES.get(name.partition("/")[0].replace("_", "").lower())
