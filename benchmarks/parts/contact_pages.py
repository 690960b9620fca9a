"""Contact pages of companies that do not exist, with the truth about them.

Layouts, spellings of labels and numbers, scripts, encodings and what else stands on such pages are
drawn by a seed. Nothing here is written after a page of somebody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from random import Random
from typing import NamedTuple

from focuscrawl.readers.text.characters import simplified

Values = dict[str, list[str]]

CITIES = (
    ("四川省成都市", "武侯区", "028", 8), ("四川省绵阳市", "涪城区", "0816", 7), ("浙江省杭州市", "西湖区", "0571", 8),
    ("广东省深圳市", "南山区", "0755", 8), ("湖北省武汉市", "洪山区", "027", 8), ("山东省青岛市", "崂山区", "0532", 8),
    ("甘肃省兰州市", "城关区", "0931", 7), ("江苏省苏州市", "吴中区", "0512", 8),
)  # fmt: skip
BRANDS = (
    "云杉",
    "青禾",
    "启明",
    "百川",
    "木棉",
    "远帆",
    "星屿",
    "蓝鲸",
    "松果",
    "北岸",
    "南浦",
    "石榴",
)
TRADES = (
    "软件",
    "精密机械",
    "园林工程",
    "食品",
    "广告传媒",
    "环保科技",
    "建材",
    "物流",
    "仪器",
    "印刷包装",
)
ENDINGS = ("有限公司", "有限责任公司", "股份有限公司", "科技有限公司", "厂", "实业有限公司")
ROADS = ("示范大道", "样例路", "模型北街", "测试东路", "虚拟二路", "图纸巷")
HOUSES = ("{}号", "{}号A座1203室", "{}号3栋2单元", "{}号创业大厦8楼", "{}号（近地铁口）")
LABELS: dict[str, tuple[str, ...]] = {
    "name": ("公司名称", "单位名称", "企业名称"),
    "address": ("地址", "公司地址", "联系地址", "通讯地址", "地　址", "总部地址"),
    "phone": (
        "电话",
        "联系电话",
        "电 话",
        "服务热线",
        "客服电话",
        "咨询热线",
        "固定电话",
        "Tel",
        "全国统一热线",
    ),
    "fax": ("传真", "公司传真", "传　真", "Fax", "传真号码"),
    "email": ("邮箱", "电子邮箱", "E-mail", "Email", "公司邮箱", "邮 箱"),
    "zip": ("邮编", "邮政编码", "邮　编"),
    "website": ("网址", "公司网址", "官网", "网　址"),
    "qq": ("QQ", "客服QQ", "QQ号码", "在线QQ"),
    "contact": ("联系人", "联 系 人", "业务联系人"),
}
ENGLISH = {"address": "Address", "phone": "Tel", "fax": "Fax", "email": "E-mail", "zip": "Zip", "name": "Company Name", "website": "Website"}  # fmt: skip
ICONS = {"phone": "fa fa-phone", "email": "icon-envelope", "address": "glyphicon glyphicon-map-marker", "fax": "fa fa-fax"}  # fmt: skip
ENCODINGS = ("utf-8", "utf-8", "gb18030", "gb2312", "big5")
PERSONS = ("王女士", "李经理", "赵先生", "陈工")


class Shown(NamedTuple):
    """A field as a page shows it: its label, and its value as markup."""

    field: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Company:
    """A company: ``truth`` are its values in their normal form, ``printed`` as pages spell them."""

    truth: Values
    printed: Values


@dataclass(frozen=True, slots=True)
class ContactPage:
    """A page and the records on it. ``layout`` names how it is laid out."""

    layout: str
    body: bytes
    content_type: str
    records: list[Values] = field(default_factory=list)


Layout = Callable[[list[Shown], Random], str]


def company(random: Random) -> Company:
    """Draw a company."""
    city, district, area, digits = random.choice(CITIES)
    town = city[3:-1]
    name = f"{town}{random.choice(BRANDS)}{random.choice(BRANDS)}{random.choice(TRADES)}{random.choice(ENDINGS)}"
    address = f"{city}{district}{random.choice(ROADS)}{random.choice(HOUSES).format(random.randint(1, 399))}"
    truth: Values = {"name": [name], "address": [address]}
    printed: Values = {"name": [name], "address": [address]}
    phones = [_phone(random, area, digits) for _ in range(random.choice((1, 1, 2, 3)))]
    truth["phone"], printed["phone"] = [one for one, _ in phones], [one for _, one in phones]
    host = f"www.company-{random.randint(100, 999)}.com"
    optional: list[tuple[str, str, str]] = []
    fax = _landline(random, area, digits)
    optional.append(("fax", *fax))
    mail = f"{random.choice(('info', 'sales', 'hr.cd', 'office_1'))}@{host[4:]}"
    optional.append(
        ("email", mail, random.choice((mail, mail, mail.upper(), mail.replace("@", " @ "))))
    )
    postcode = str(random.randint(100000, 859999))
    optional.append(("zip", postcode, postcode))
    optional.append(
        ("website", f"http://{host}/", random.choice((host, f"http://{host}", f"http://{host}/")))
    )
    number = str(random.randint(10_000_000, 2_999_999_999))
    optional.append(("qq", number, number))
    person = random.choice(PERSONS)
    optional.append(("contact", person, person))
    for name_of, true, shown in optional:
        if random.random() < 0.75:
            truth[name_of], printed[name_of] = [true], [shown]
    return Company(truth, printed)


def _landline(random: Random, area: str, digits: int) -> tuple[str, str]:
    number = f"555{random.randint(0, 10 ** (digits - 3) - 1):0{digits - 3}d}"
    true = f"{area}-{number}"
    forms = (true, f"({area}){number}", f"（{area}）{number}", f"{area} {number}", f"{area}－{number}", f"+86-{area[1:]}-{number}", f"{area}—{number}", f"{area}-{number[:4]} {number[4:]}")  # fmt: skip
    return true, random.choice(forms)


def _phone(random: Random, area: str, digits: int) -> tuple[str, str]:
    kind = random.random()
    if kind < 0.25:
        mobile = f"199{random.randint(0, 99_999_999):08d}"
        forms = (mobile, f"{mobile[:3]} {mobile[3:7]} {mobile[7:]}", f"{mobile[:3]}-{mobile[3:7]}-{mobile[7:]}", f"{mobile}（微信同号）", f"+86 {mobile}")  # fmt: skip
        return mobile, random.choice(forms)
    if kind < 0.4:
        tail = f"{random.randint(0, 9999):04d}"
        return f"400-000-{tail}", random.choice((f"400-000-{tail}", f"4000-00{tail[:1]}-{tail[1:]}", f"400 000 {tail}"))  # fmt: skip
    true, shown = _landline(random, area, digits)
    if kind < 0.55:
        extension = str(random.randint(100, 8999))
        joint = random.choice(("-", "转", " 转 ", " ext. "))
        return f"{true}-{extension}", f"{true}{joint}{extension}"
    return true, shown


def _joined(values: list[str], random: Random) -> str:
    return random.choice(("、", " / ", "，", "　", "；")).join(values)


def shown(one: Company, random: Random) -> list[Shown]:
    """Draw how a page spells the labels and values of a company."""
    order = [name for name in LABELS if name in one.printed]
    rest = order[1:]
    random.shuffle(rest)
    return [
        Shown(name, random.choice(LABELS[name]), escape(_joined(one.printed[name], random)))
        for name in [order[0], *rest]
    ]


def _colon(random: Random) -> str:
    return random.choice(("：", "：", ":", ": ", "： "))


def as_table(lines: list[Shown], random: Random) -> str:
    colon = random.choice(("", "："))
    rows = "".join(f"<tr><td>{one.label}{colon}</td><td>{one.value}</td></tr>" for one in lines)
    return f"<table>{rows}</table>"


def as_pairs(lines: list[Shown], random: Random) -> str:
    cells = [f"<td>{one.label}：</td><td>{one.value}</td>" for one in lines]
    rows = "".join(f"<tr>{''.join(cells[i : i + 2])}</tr>" for i in range(0, len(cells), 2))
    return f"<table>{rows}</table>"


def as_terms(lines: list[Shown], random: Random) -> str:
    return "<dl>" + "".join(f"<dt>{one.label}</dt><dd>{one.value}</dd>" for one in lines) + "</dl>"


def as_breaks(lines: list[Shown], random: Random) -> str:
    colon = _colon(random)
    return "<p>" + "<br>".join(f"{one.label}{colon}{one.value}" for one in lines) + "</p>"


def as_spread(lines: list[Shown], random: Random) -> str:
    wide = [one._replace(label="　".join(one.label) if len(one.label) == 2 else one.label) for one in lines]  # fmt: skip
    return "<div>" + "<br/>".join(f"{one.label}：{one.value}" for one in wide) + "</div>"


def as_items(lines: list[Shown], random: Random) -> str:
    return "<ul>" + "".join(f"<li><strong>{one.label}：</strong>{one.value}</li>" for one in lines) + "</ul>"  # fmt: skip


def as_spans(lines: list[Shown], random: Random) -> str:
    return "".join(f"<div><span>{one.label}</span><span>{one.value}</span></div>" for one in lines)


def as_running(lines: list[Shown], random: Random) -> str:
    gap = random.choice(("　", "&nbsp;&nbsp;", " | ", "  "))
    return "<p>" + gap.join(f"{one.label}：{one.value}" for one in lines) + "</p>"


def as_columns(lines: list[Shown], random: Random) -> str:
    heads = "".join(f"<th>{one.label}</th>" for one in lines)
    values = "".join(f"<td>{one.value}</td>" for one in lines)
    return f"<table><tr>{heads}</tr><tr>{values}</tr></table>"


def as_brackets(lines: list[Shown], random: Random) -> str:
    left, right = random.choice((("【", "】"), ("[", "]"), ("〔", "〕")))
    return "".join(f"<p>{left}{one.label}{right}{one.value}</p>" for one in lines)


def as_cards(lines: list[Shown], random: Random) -> str:
    return "".join(f"<div class='card'><h4>{one.label}</h4><p>{one.value}</p></div>" for one in lines)  # fmt: skip


def as_cards_upside_down(lines: list[Shown], random: Random) -> str:
    boxes = (
        f"<td><p>{one.value}</p><p>{one.label}</p></td>" for one in lines if one.field != "name"
    )
    name = next(one.value for one in lines if one.field == "name")
    return f"<h3>{name}</h3><table><tr>{''.join(boxes)}</tr></table>"


def as_two_lines(lines: list[Shown], random: Random) -> str:
    return "".join(f"<p>{one.label}：</p><p>{one.value}</p>" for one in lines)


def as_two_languages(lines: list[Shown], random: Random) -> str:
    both = [one._replace(label=f"{one.label} {ENGLISH[one.field]}" if one.field in ENGLISH else one.label) for one in lines]  # fmt: skip
    return "".join(f"<p>{one.label}：{one.value}</p>" for one in both)


def as_icons(lines: list[Shown], random: Random) -> str:
    rows = []
    for one in lines:
        icon = ICONS.get(one.field)
        rows.append(f"<li><i class='{icon}'></i>{one.value}</li>" if icon else f"<li>{one.label}：{one.value}</li>")  # fmt: skip
    return f"<ul>{''.join(rows)}</ul>"


def as_heading(lines: list[Shown], random: Random) -> str:
    name = next(one.value for one in lines if one.field == "name")
    rest = "".join(f"<p>{one.label}{_colon(random)}{one.value}</p>" for one in lines if one.field != "name")  # fmt: skip
    return f"<h2>{name}</h2>{rest}"


def as_letters(lines: list[Shown], random: Random) -> str:
    return "".join(
        "<p>"
        + "".join(f"<span>{letter}</span>" for letter in one.label)
        + f"：<em>{one.value}</em></p>"
        for one in lines
    )


def as_links(lines: list[Shown], random: Random) -> str:
    rows = []
    for one in lines:
        value = one.value
        if one.field == "email":
            value = f'<a href="{random.choice(("mailto", "mailto", "maillto"))}:{one.value.replace(" ", "")}">发送邮件</a>'
        elif one.field == "qq":
            value = f'<a href="http://wpa.qq.com/msgrd?v=3&amp;uin={one.value}&amp;site=qq"><img src="/q.gif"></a>'
        rows.append(f"<p>{one.label}：{value}</p>")
    return "".join(rows)


LAYOUTS: tuple[Layout, ...] = (
    as_table, as_pairs, as_terms, as_breaks, as_spread, as_items, as_spans, as_running, as_columns, as_brackets,
    as_cards, as_cards_upside_down, as_two_lines, as_two_languages, as_icons, as_heading, as_letters, as_links,
)  # fmt: skip

MENU = "".join(
    f"<li><a href='/{number}'>{name}</a></li>"
    for number, name in enumerate(
        ("首页", "关于我们", "产品中心", "新闻动态", "人才招聘", "联系我们")
    )
)
FORM = (
    "<form><p>姓名：<input name='a'></p><p>电话：<input name='b'></p><p>邮箱：<input name='c'></p>"
    "<p>留言：<textarea></textarea></p></form>"
)
MAKER = "<p>技术支持：纸飞机网络科技有限公司 电话：0571-55590000</p>"
NEWS = "<ul><li><a href='/n/1'>公司通过2025年度质量体系复审</a></li><li><a href='/n/2'>关于订单号 20250611083422 的说明</a></li></ul>"


def _clutter(one: Company, random: Random) -> tuple[str, str]:
    """Return what stands before and after the block: menus, a form, a foot that repeats."""
    name = one.truth["name"][0]
    before = f"<ul>{MENU}</ul><h1>联系我们</h1>"
    after = FORM if random.random() < 0.4 else ""
    after += NEWS if random.random() < 0.3 else ""
    if random.random() < 0.4:
        phone = one.printed["phone"][0]
        after += f"<div class='foot'>地址：{one.printed['address'][0]}　电话：{phone}</div>"
    after += f"<div>版权所有 © 2026 {name} 某ICP备2026000{random.randint(100, 999)}号-1</div>"
    after += MAKER if random.random() < 0.3 else ""
    return before, after


def page(seed: int, number: int) -> ContactPage:
    """Draw page ``number`` (0 …): every eighth has several companies."""
    random = Random(f"{seed}/contact/{number}")
    if number % 8 == 7:
        return _several(random)
    one = company(random)
    layout = LAYOUTS[number % len(LAYOUTS)]
    lines = shown(one, random)
    if layout is as_columns:  # a row of values has one each
        lines = [
            line for line in lines if line.field in {"name", "address", "phone", "email", "zip"}
        ]
    before, after = _clutter(one, random)
    block = f"<div class='contact'>{layout(lines, random)}</div>"
    fields = {line.field for line in lines}
    truth = {name: values for name, values in one.truth.items() if name in fields}
    return _written(layout.__name__, before + block + after, [truth], random)


def _several(random: Random) -> ContactPage:
    """A page of branches: a table with a head, boxes, or one after the other in one paragraph."""
    companies = [company(random) for _ in range(random.randint(2, 5))]
    names = ("name", "address", "phone")
    rows = [
        {name: escape(_joined(one.printed[name], random)) for name in names} for one in companies
    ]
    kind = random.choice(("rows", "boxes", "flat"))
    if kind == "rows":
        head = "<tr><th>公司名称</th><th>地址</th><th>电话</th></tr>"
        body = "".join(
            f"<tr>{''.join(f'<td>{row[name]}</td>' for name in names)}</tr>" for row in rows
        )
        block = f"<table>{head}{body}</table>"
    elif kind == "boxes":
        block = "".join(
            f"<div><h3>{row['name']}</h3><p>地址：{row['address']}</p><p>电话：{row['phone']}</p></div>"
            for row in rows
        )
    else:
        block = "<p>" + "<br>".join(
            f"公司名称：{row['name']}<br>地址：{row['address']}<br>电话：{row['phone']}" for row in rows
        ) + "</p>"  # fmt: skip
    truths = [{name: one.truth[name] for name in names} for one in companies]
    html = f"<ul>{MENU}</ul><h1>分支机构</h1><div>{block}</div>{FORM}"
    return _written(f"several_{kind}", html, truths, random)


def _written(layout: str, html: str, truths: list[Values], random: Random) -> ContactPage:
    encoding = random.choice(ENCODINGS)
    if encoding == "big5":
        script = traditional()
        html = html.translate(script)
        truths = [
            {name: [one.translate(script) for one in values] for name, values in truth.items()}
            for truth in truths
        ]
    declared = f'<meta charset="{encoding}">' if random.random() < 0.7 else ""
    text = f"<html><head>{declared}<title>{html[html.index('<h1>') + 4 : html.index('</h1>')]}</title></head><body>{html}</body></html>"
    return ContactPage(layout, text.encode(encoding, "xmlcharrefreplace"), "text/html", truths)


@cache
def traditional() -> dict[int, str]:
    """Return a traditional character of Big5 for each simplified one, as ``str.translate`` takes it."""
    found: dict[str, tuple[bytes, str]] = {}
    for many, few in sorted(simplified().items()):
        code = many.encode("big5", "ignore")
        if code and (few not in found or code < found[few][0]):  # the usual ones come first there
            found[few] = code, many
    return str.maketrans({few: many for few, (_, many) in found.items()})


def pages(seed: int, count: int) -> Iterator[ContactPage]:
    """Go through the first pages of a seed."""
    return (page(seed, number) for number in range(count))
