"""What stands in front of a page, by what it says to a visitor: a few words, and no page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MOST_LETTERS = 600
"""Letters of all that a page says above which nothing stands in front of it: the longest wall seen, a
firewall's with its list of reasons, has 420."""

MOST_LINKS_BESIDE = 12
"""Links to pages of a wall: help, privacy, the languages, the way back. Lists have more, whatever they say."""

LONGEST_OF_WALL = 200
_MOST_SENTENCES = 60

_YOU = r"(?:您|你|用户)"
_CHECKED = (
    r"(?:human|not an? (?:ro)?bot|your browser|connection is secure|security of your connection)"
)

# In this order: a firewall also asks for cookies, and a challenge is named for its maker where it says so.
WALLS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "challenge",
            (
                rf"^just a moment|\b(?:verif\w+|confirm\w*|prov(?:e|ing)|check\w*|mak(?:e|ing) sure|review\w*|needs? to)\b.{{0,40}}\b{_CHECKED}"
                r"|\bi(?:'| a)m (?:not a robot|human)|are you (?:a |an )?(?:human|robot)|(?:complete|solve|pass)\b.{0,20}\b(?:captcha|security check|challenge)"
                r"|enable javascript and cookies|unusual (?:traffic|activity)"
                rf"|(?:验证|确认|证明|检查|判断)(?:一下)?{_YOU}?(?:是否|不)?[是为](?:真人|人类|机器人|本人|正常)"
                r"|(?:人机|真人|滑块|滑动|拼图)(?:身份)?(?:验证|检测|校验|检查)(?:中|页面?)?$"
                # Alone in its line: 食品安全检查 is what an article is about.
                r"|^(?:正在)?(?:进行)?(?:安全|访问|行为)(?:身份)?(?:验证|检测|校验|检查)(?:中|页面?)?$|^(?:人机|安全|滑块)?验证(?:码)?$"
                r"|请(?:先)?(?:完成|通过|输入|拖动|点击|按住|滑动).{0,16}(?:验证|滑块)"
                rf"|正在(?:检查|检测|验证|确认){_YOU}?的?(?:浏览器|访问|连接|网络)|(?:访问|请求|操作)(?:过于|太|过)频繁"
            ),
        ),
        (
            "waf",
            (
                r"\b(?:request|access|visit|connection|ip(?: address)?|you)\b.{0,60}\b(?:blocked|denied|intercepted|rejected|banned|forbidden)\b"
                r"|^access (?:denied|forbidden)|web application firewall"
                rf"|{_YOU}的?(?:请求|访问|操作|ip|行为).{{0,24}}(?:拦截|阻断|阻止|拒绝|禁止|不合法|威胁|攻击|限制|异常)"
                r"|(?:请求|访问|操作)(?:已|可能)?(?:经)?被.{0,16}(?:拦截|阻断|拒绝|阻止|禁止)|(?:网站|web应用)防火墙|疑似.{0,8}(?:攻击|黑客)"
            ),
        ),
        (
            "maintenance",
            (
                r"\b(?:down|closed|offline|unavailable|undergoing|under|scheduled|performing|in)\b.{0,30}\bmaintenance\b|maintenance mode"
                r"|we(?:'ll| will) be (?:right )?back|temporarily (?:unavailable|offline|down|closed)"
                r"|(?:系统|网站|站点|平台|服务器?|本站|网页|数据库)(?:正在?|目前)?.{0,12}(?:维护|升级|检修|改版)(?:中|当中|$|[,,请])"
                r"|(?:正在|临时|停机|例行|紧急)(?:进行)?(?:系统|网站)?(?:维护|升级|检修)|^(?:系统|网站)?(?:升级)?维护(?:中|页面?)?$|(?:稍后|稍候|晚些时候)再?(?:访问|再试|重试|来)"
            ),
        ),
        (
            "consent",
            (
                r"^before you continue|\b(?:accept|agree|consent)\b.{0,40}\b(?:cookies?|terms|privacy)\b|\bvalue your privacy|\buses? cookies\b"
                r"|you must be (?:at least |over )?\d\d|age verification|are you (?:over|at least) \d\d"
                rf"|{_YOU}?(?:需要?|必须|请)?(?:先)?(?:同意|接受|阅读并同意).{{0,24}}(?:隐私|条款|协议|cookies?|声明)|[年已]满\s*(?:1[68]|2[01]|十八)"
            ),
        ),
        (
            "log-in",
            (
                rf"(?:请|需要?|必须|应当|{_YOU}(?:尚未|还没有?|未))(?:先|重新)?登[录陆]|登[录陆]后(?:才能|才可以?|方可|可以?|即可|继续|查看|阅读|访问|浏览)"
                r"|\b(?:log|sign)[ -]?in\b.{0,20}\b(?:to|before)\b.{0,10}\b(?:continue|view|read|access|see|proceed)"
                r"|(?:must|need to|please|have to) (?:be logged in|log ?in|sign ?in)|(?:members?|subscribers?) only"
                rf"|^(?:用户|会员|统一(?:身份)?|系统|账号)?(?:登[录陆]|身份认证)$|^(?:log|sign)[ -]?in$|{_YOU}?没有权限.{{0,8}}(?:访问|查看|阅读|浏览)"
            ),
        ),
    )
)

MAKERS = re.compile(
    r"\b(cloudflare|anubis|incapsula|imperva|akamai|ddos-guard|sucuri|datadome|perimeterx)\b"
    r"|(?P<ray>\bray id\b)",
    re.IGNORECASE,
)
"""Who made a wall, where it says so."""

READ_ON = re.compile(
    r"(?:登[录陆]|注册|开通|成为|订阅|付费|购买|关注)\w{0,8}?(?:后|会员|即可|可|,|,)*(?:阅读|查看|浏览|解锁|继续阅读)(?:本文)?(?:的)?(?:全文|全部|更多|剩余|完整|余下|后续)"
    r"|\b(?:subscribe|sign[ -]?(?:in|up)|log[ -]?in|register|become a (?:member|subscriber)|create an? (?:free )?account)\b.{0,20}\bto (?:read|continue|view|keep reading|unlock|finish)",
    re.IGNORECASE,
)
"""A line that offers the rest of an article to readers who log in or pay."""

LONGEST_TEASER = 800
"""Characters of a text that may be the beginning of one; behind a longer one the offer is a habit of its site."""

_SENTENCE_ENDS = re.compile(r"[。!?;…|]+|(?<=[a-z])[.!?](?:\s|$)|\n")
_WHITE_SPACE = re.compile(r"\s+")


def wall_in(title: str, text: str) -> str:
    """Return what stands in front of a page, by its title and all its text; "" when nothing does.

    The kind, or who made it: challenge, cloudflare, waf, maintenance, consent, log-in.
    """
    said = unicodedata.normalize("NFKC", f"{title}\n{text}")
    if len(_WHITE_SPACE.sub("", said)) > MOST_LETTERS:
        return ""
    sentences = [one.strip(" .") for one in _SENTENCE_ENDS.split(said)][:_MOST_SENTENCES]
    short = [one for one in sentences if one and len(one) <= LONGEST_OF_WALL]
    kind = next((kind for kind, form in WALLS if any(form.search(one) for one in short)), "")
    maker = MAKERS.search(said) if kind in ("challenge", "waf") else None
    if maker is None:
        return kind
    return "cloudflare" if maker["ray"] else maker[0].lower()


def is_teaser(text: str, lines: Iterable[str]) -> bool:
    """Whether an article is only its beginning: the page offers the rest to those who log in."""
    if len(text) > LONGEST_TEASER:
        return False
    return any(READ_ON.search(line) for line in lines if len(line) <= LONGEST_OF_WALL)
