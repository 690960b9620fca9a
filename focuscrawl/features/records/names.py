"""Names of organisations and addresses where no label gives them (C7): told by their words, in a line, in
the one about copyright, in the title of the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from focuscrawl.features.records.lines import JOINT, RecordLine
from focuscrawl.readers.text.characters import HAN, to_simplified

_LONGEST_NAME = 60
# What may stand around a value without being part of it.
EDGES = " \t:：,，、;；。|｜/-—–_·•>*\"'“”\u200b\u3000"

UPPER = "A-ZÀ-ÞĀ-ŽА-ЯЁ"  # of the second block of Latin letters small ones, too, which no name here begins with
_LEGAL_FORM = (
    r"Co\.?,? ?(?:Pte\.?|Pvt\.?)? ?Ltd\.?|Inc\.?|LLC|L\.L\.C\.|LLP|PLLC|P\.?L\.?C\.?|GmbH(?: & Co\.? KG)?|AG|KG|e\. ?V\.|SARL|S\.?A\.?R\.?L\.?"
    r"|S\.?A\.?S\.?|S\.A\.|S\.?L\.?U?\.|S\.?r\.?l\.|S\.?p\.?A\.|B\.?V\.|N\.V\.|A/S|ApS|ehf\.?|Oyj?|(?:Sdn\.? Bhd|Pte\.? Ltd|Pty\.? Ltd|Pvt\.? Ltd|Ltd)\.?"
    r"|s\.?r\.?l\.?|d\.o\.o\.|s\.r\.o\.|GbR|Ltda\.?|Lda\.?|S[àa]rl|Aktiebolag|AB|A\.Ş\.|Sp\. z o\.o\.|Corporation|Corp\.?|Limited|Company|Group|Office|Headquarters?|Branch|Association|Foundation|Institute|University|College|Hospital|Hotel"
)
SENTENCE = re.compile(r"[。！？!?；;]|，.*，")
_ORGANISATION = re.compile(
    r"(?:[\u4e00-\u9fff（）()A-Za-z0-9·&]{1,30}(?:有限责任公司|股份有限公司|有限公司|集团公司|总公司|分公司|子公司|公司|集团|事务所|研究院|研究所|设计院"
    r"|(?:检定|检测|鉴定|质检|测试)所|医院|诊所|学校|学院|大学|协会|学会|商会|委员会|管理局|工作室|经营部|营业部|办事处|市场部|门市部|服务部|销售部|工厂|总厂|分厂|制造厂|加工厂|印刷厂|机械厂|合作社|农场|酒店|宾馆|饭店|传媒|生产基地|基地|联盟|中心|(?:厂|店|社)(?=$|[\s（(]))"
    r"(?:[\u4e00-\u9fff]{1,10}(?:分公司|办事处|市场部|营业部|分店|分厂|门市部|分部))?)"
    rf"|(?:\(?[{UPPER}\d][\w.&'’-]*\)?,?[ ]|(?:&|and|of|the|de|du|und|et|y)[ ]){{1,7}}(?:{_LEGAL_FORM})(?![\w-])"
    # A name of any letters before a form that nothing but a name has.
    rf"|[{UPPER}\d][\w.&'’-]*(?:[ ][\w.&'’-]+){{0,3}},?[ ](?:GmbH|LLC|LLP|PLLC|d\.o\.o\.|s\.r\.o\.|(?:Sdn\.? Bhd|Pte\.? Ltd|Pty\.? Ltd|Ltd|Inc)\.?)$"
    # As Russians, Japanese and Koreans write theirs.
    r"|(?:ООО|ОАО|ЗАО|ПАО|АО|ТОО|ИП|ФГБУ|ФГУП|ГБУЗ?|МБОУ|НПО)\s*[«\"„“][^«»\"„“”]{2,50}[»\"”]"
    r"|(?:株式会社|有限会社|合同会社|社団法人|财团法人)[\s　]?[\w・ー]{1,30}|[\w・ー]{1,30}(?:株式会社|有限会社|合同会社)"
    r"|(?:주식회사|㈜|\(주\))\s?[\w]{1,30}|[\w]{1,30}(?:주식회사|㈜|\(주\))"
)
WELCOME = re.compile(r"^(?:[【\[][^】\]]{1,8}[】\]]\s*)?(?:热烈)?欢迎您?(?:来到|光临|访问|进入)?")
_NO_NAME = re.compile(
    r"(?:客户|客服|服务|新闻|产品|数据|会员|个人|下载|帮助|资讯|视频|图片|媒体|招聘|培训|技术|支持|营销|运营|人才|售后|展示|案例|联系|关于|走进|我们的?|本|总|分|子|集团|公司|管理|用户|企业|学习|活动|互动|商务|采购|项目|工程|信息|政务|办事|大|全国|各地)+"
    r"(?:中心|公司|集团|基地|联盟|学院|学校|大学|学会|协会|医院|酒店|传媒)"
)
_GENERAL = re.compile(
    r"(?:our|my|your|this|welcome|contact|about|find|join|visit)\b", re.IGNORECASE
)
BRACKETED = re.compile(r"\s*[（(【\[][^（()）】\]]*[）)】\]]?\s*$")


def organisation(text: str) -> str:
    """Return the organisation a short line names from its beginning, "" when it names none."""
    plain = " ".join(text.replace("\u200b", " ").split()).strip(EDGES)
    plain = WELCOME.sub("", plain).strip(EDGES)
    if len(plain) > 2 * _LONGEST_NAME or SENTENCE.search(plain):
        return ""
    folded = plain.translate(to_simplified())  # one character for one
    found = _ORGANISATION.match(folded)
    if found is None:
        return ""
    rest = plain[found.end() :]
    if rest and not BRACKETED.fullmatch(rest) and re.match(r"\w|\s+[a-z]", rest):
        return ""  # 公司简介, 公司地址: the words go on
    if _GENERAL.match(plain):
        return ""
    name = plain[: found.end()].strip(EDGES)
    if name.count("（") + name.count("(") != name.count("）") + name.count(")"):
        return ""
    return (
        name
        if 4 <= len(name) <= _LONGEST_NAME and not _NO_NAME.fullmatch(folded[: found.end()])
        else ""
    )


# Who makes what sites run on: neither the one that owns a site nor one to be reached.
SOFTWARE = re.compile(
    r"discuz|comsenz|dede ?cms|织梦|word ?press|phpcms|php ?wind|帝国cms|ecshop|shop(?:ex|ify)|joomla|drupal|typecho|z-?blog|metinfo|米拓|siteserver|bootstrap|themes?\b|template|模[板版]|wix\b|squarespace",
    re.IGNORECASE,
)
COPYRIGHT = re.compile(r"版权所有|版權所有|copyright|©|\(c\)|all rights? reserved", re.IGNORECASE)
BOILERPLATE = re.compile(
    r"(?:copy\s*right|©|&copy;|\(c\)|（R）|all\s+rights?\s+reserved|power(?:ed)?\s+by.*|技术支持.*|(?:网站)?备案(?:序|证)?号?[:：]?|[\u4e00-\u9fff]?icp[备证]?\s*\d*号?(?:-\d+)?|www\.\S+|https?://\S+|(?:19|20)\d\d\s*(?:[-–—~至]\s*(?:(?:19|20)\d\d)?)?\s*年?|未经.*)",
    re.IGNORECASE,
)
OWNED = re.compile(r"版权所有|版權所有")
# The owner behind the sign of copyright and its years, written with blanks.
_OWNER = re.compile(
    rf"(?:©|copyright|\(c\))(?:[\s{JOINT},.:]|©|\(c\)|copyright|by|(?:19|20)\d\d|[-–—~至])*(?!all\s+rights|wszelkie\s|v[šs]echna\s|tutti\s+i|todos\s|tous\s|alle\s+rechte|все\s+права)(?P<owner>[^\d\s|｜·•©{JOINT}][^|｜·•©;]{{1,60}}?)"
    rf"\s*(?:$|[|｜·•;]|[{JOINT}\s,.–—-]*(?:all\s+rights?|power(?:ed)?\s|todos\s|alle\s+rechte|tous\s|tutti\s+i|wszelkie\s|v[šs]echna\s|všetky\s|alla\s+r|alle\s+rett|все\s+права|(?:19|20)\d\d|版权所有|版權所有)|\.\s|{JOINT})",
    re.IGNORECASE,
)
_SPLIT = re.compile(rf"[\s{JOINT}|｜,，.。;；:：、/]+")
TITLE_SPLIT = re.compile(r"\s*(?:[-_|｜—–>»·,，:：]+)\s*")
SECTION = re.compile(
    r"(?:欢迎.*|主办|承办|单位|制作|维护|联系|聯繫|聯絡|关于|關於|公司|企业|首页|主页|官网|官方网站|网站|contacts?|about|home|introduction|us|our|find|visit|location|get|in|touch|say|hello|page|shops|stores|offices|logo|контакты|о компании|главная|kontakt|impressum|startseite|contacto|inicio|accueil|nous contacter|会社概要|お問い合わせ|アクセス|店舗情報|연락처|我们|我們|方式|简介|概况|介绍|\s)+",
    re.IGNORECASE,
)
_OF_PICTURE = re.compile(r"\s*(?:logo|标志|標誌|徽标|图标)\s*$", re.IGNORECASE)
LONGEST_OWNER, LONGEST_INITIALS = 30, 3
_MOST_FEET = 20  # last lines of a page that decide the language of its foot
# A domain, and what software calls a site before its owner does.
_PLACEHOLDER_NAME = re.compile(
    r"^\S+\.(?:com|cn|net|org|[a-z]{2,3})$|^(?:我的|您的|你的|某某?|xx+)(?:网站|公司|企业)|^(?:网站|站点|公司|企业)(?:名称|标题)"
    r"|^(?:my|your|our) (?:web ?site|site|company|business|blog|shop|store)\b|^(?:company|site|business) name$|^untitled|^just another",
    re.IGNORECASE,
)


# Who drew a map, who took a picture: several owners beside each other.
_CREDITS = re.compile(
    r"^(?!.*(?:版权|版權|copyright|rights)).*©[^©]*[^\W\d_]{3}[^©]*©", re.IGNORECASE
)


def from_copyright(lines: Sequence[RecordLine]) -> str:
    """Return who owns the page by its line about copyright, "" when none says."""
    loose = ""
    for line in reversed(lines):
        if not COPYRIGHT.search(line.text) or _CREDITS.search(line.text):
            continue  # none, or the credits of a map
        parts = [
            part for part in _SPLIT.split(OWNED.sub(" ", BOILERPLATE.sub(" ", line.text))) if part
        ]
        for part in parts:
            if name := organisation(part):
                return name
        owner = _OWNER.search(line.text)
        latin = owner["owner"].strip(EDGES) if owner is not None else ""
        if name := organisation(latin):
            return name if not SOFTWARE.search(name) else ""
        likely = [latin, *(parts if OWNED.search(line.text) and len(parts) == 1 else ())]
        # On a page in Chinese a name in Latin letters is the designer's, or a domain.
        chinese = any(HAN.search(one.text) for one in lines[-_MOST_FEET:])
        likely = [one for one in likely if _is_name(one) and bool(HAN.search(one)) == chinese]
        loose = loose or next(iter(likely), "")
    return loose if loose and not SECTION.fullmatch(loose) else ""


def from_title(title: str, site_names: Sequence[str] = (), addresses: str = "") -> str:
    """Return the name of the site by the title: an organisation, else what is no section.

    ``site_names`` are what else names the site: og:site_name, the words of its logo.
    ``addresses`` are those of mail and web that it prints, with letters and digits alone: a part of
    the title that stands in one is its name.
    """
    parts = [BOILERPLATE.sub("", part).strip(EDGES) for part in TITLE_SPLIT.split(title)]
    parts = [part for part in parts if part and not SOFTWARE.search(part)]
    said = [_OF_PICTURE.sub("", " ".join(name.split())).strip(EDGES) for name in site_names]
    said = [name for name in said if _is_name(name)]
    for part in (*parts, *said):
        if name := organisation(part):
            return name
    names = [part for part in parts if not SECTION.fullmatch(part)]
    if len(parts) == 2 and len(names) == 1 and _is_name(names[0]):
        return names[0]
    for part in parts:
        if len(_plain_letters(part)) >= _LONG_ENOUGH and _plain_letters(part) in addresses:
            return part
    # A logo may say no more than initials, which are no name to a stranger.
    long = (name for name in said if HAN.search(name) or len(name) > LONGEST_INITIALS)
    return next((name for name in long if not SECTION.fullmatch(name)), "")


_LONG_ENOUGH = 6  # letters of a name that no address holds by chance


def _plain_letters(text: str) -> str:
    """Return the Latin letters and digits of a text as addresses write them: katilojistik for Katı Lojistik."""
    plain = unicodedata.normalize("NFKD", text.translate(_UNDOTTED).lower())
    return "".join(one for one in plain if one.isascii() and one.isalnum())


_UNDOTTED = str.maketrans("ıİøØłŁ", "iIoOlL")  # letters that are none with a mark


def addresses_in(lines: Sequence[RecordLine]) -> str:
    """Return the addresses of mail and web that lines print, as ``from_title`` takes them."""
    found = (one for line in lines for one in _PRINTED_ADDRESS.findall(line.text))
    return " ".join(map(_plain_letters, found))


_PRINTED_ADDRESS = re.compile(r"[\w.+-]{2,64}@[\w.-]{3,64}|www\.[\w.-]{3,64}", re.ASCII)


def _is_name(text: str) -> bool:
    """Whether a text may be a name that no word of its own gives away: short, no domain, no software."""
    longest = LONGEST_OWNER if HAN.search(text) else _LONGEST_NAME
    named = 2 <= len(text) <= longest and any(map(str.isalpha, text))
    return named and not (_PLACEHOLDER_NAME.search(text) or SOFTWARE.search(text))


# Addresses --------------------------------------------------------------------------------------

# As other countries write them.
POST_CODE = re.compile(
    r"(?<![\w-])(?:[A-Z]{0,2} ?\d{4,5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{3}-\d{4}|\d{5}-\d{3})(?![\w-])"
)

# What no address holds.
_OTHER = re.compile(f"{SENTENCE.pattern}|[:：@©]|^(?:https?|www)\\b", re.IGNORECASE)

FEWEST_LETTERS = 4
LONGEST_REST = 60
_LONGEST_ADDRESS = 80  # characters of an address that no label names
_PLACE = "省|自治区|市|区|區|县|縣|旗|州|盟|镇|鎮|乡|鄉|村|街道|开发区|园区|工业园|产业园|新区"
ROAD = "路|街|道|巷|弄|胡同|大道|国道|里|段"
HOUSE = "号|號|栋|棟|幢|座|楼|樓|层|層|室|单元|房|院|大厦|大廈|广场|中心|园"
_POSTAL_ADDRESS = re.compile(
    rf"(?:(?:中国|中國|China)?[\s.·,，]*)?[\u4e00-\u9fff]{{1,10}}(?:{_PLACE})[^;；。|<>@]{{0,60}}?"
    rf"(?:(?:{ROAD})[^;；。|<>@]{{0,30}}?)?[\dA-Za-z一二三四五六七八九十百甲乙丙丁-]+\s*(?:{HOUSE})"
)
DIGIT = re.compile(r"\d")
SITED = re.compile(f"{_PLACE}|{ROAD}|{HOUSE}|[\\d州校站桥门口角旁侧内]")
HOUSE_NUMBER = re.compile(rf"\d[-\dA-Za-z]*\s*(?:{HOUSE})")
_PLACES = re.compile(_PLACE)
ROADS = re.compile(f"{ROAD}|村|园|镇")
STREET = re.compile(
    r"(?:\d+[\w-]*,? (?:[A-Z][\w.]*,? ){1,4}|no\.? ?\d+.{0,40}?)"
    r"(?:road|rd|street|st|avenue|ave|drive|dr|lane|ln|boulevard|blvd|park|way|plaza|square)\b",
    re.IGNORECASE,
)
STREET_WORD = re.compile(
    r"\b(?:road|rd|way|street|st|avenue|ave|drive|dr|lane|ln|boulevard|blvd|parkway|pkwy|plaza|square|building|floor|tower|district|dist|nagar|jalan|industrial|estate)\b",
    re.IGNORECASE,
)
# A street with its number, a code and its town in one line, as the continent of Europe writes them, either first.
_STREET_AND_NUMBER = (
    rf"[{UPPER}][^\W\d]*\.?(?:[ -][^\W\d]+\.?){{0,4}} \d{{1,4}}(?: ?[a-zA-Z]|[/-]\d{{1,4}}[a-z]?)?"
)
_CODE_AND_TOWN = rf"(?:[A-Z]{{1,2}}-)?(?:\d{{4,5}}|\d{{3}} \d{{2}}|\d{{2}}-\d{{3}}) [{UPPER}][^\W\d]+\.?(?:[ /-](?:[{UPPER}][^\W\d]+|[^\W\d]{{1,3}})){{0,3}}"
_STREET_AND_TOWN = re.compile(
    rf"{_STREET_AND_NUMBER},? {_CODE_AND_TOWN}(?:, [{UPPER}][^\W\d]+)?|{_CODE_AND_TOWN},? {_STREET_AND_NUMBER}"
)
# Several parts with a comma between: Rm. 2, 8F, No. 9, Long Rd., Big Dist., Town 241, Country.
_LATIN_ADDRESS = re.compile(r"[^,@:：!?\u4e00-\u9fff]{1,60}(?:,[^,@:：!?\u4e00-\u9fff]{1,60}){2,9}")
_ROAD_AND_HOUSE = re.compile(
    r"[\u4e00-\u9fff]{3,16}(?:路|街|大道|巷)[^;；。|<>@]{0,30}?[\dA-Za-z-]+(?:号|號|栋|棟|幢|座|室)[\w-]{0,24}$"
)
AFTER_ADDRESS = re.compile(
    r"\s*(?:[|｜;；。<>]|\(?(?:邮编|郵編|电话|電話|传真|邮箱|版权|技术支持|备案|ICP备|查看地图|查看詳細)|https?://|www\.|\s[蜀京沪粤苏浙鲁豫冀晋辽吉黑皖闽赣湘鄂桂琼渝川贵云藏陕甘青宁新]ICP|0\d{2,3}-\d{7}|1[3-9]\d{9}).*$"
)


def find_address(text: str, *, labelled: bool) -> str:
    """Return the address a text is, "" when it is none; without a label it must be a whole one."""
    plain = " ".join(AFTER_ADDRESS.sub("", text.replace("\u200b", " ")).split()).strip(EDGES)
    if not labelled:
        return plain if _is_whole_address(plain) else ""
    letters = sum(character.isalpha() for character in plain)
    if letters < FEWEST_LETTERS or _OTHER.search(plain.replace("：", "").replace(":", "")):
        return ""
    return plain if (SITED if HAN.search(plain) else DIGIT).search(plain) else ""


def _is_whole_address(plain: str) -> bool:
    """Whether a text without a label is an address: a street with its number, or two names of places
    with one, and nothing that no address holds.
    """
    found = _POSTAL_ADDRESS.match(plain) or _ROAD_AND_HOUSE.match(plain) or STREET.match(plain)
    if found is None and _STREET_AND_TOWN.fullmatch(plain):
        return True
    if found is None:
        return _LATIN_ADDRESS.fullmatch(plain) is not None and _names_street(plain)
    is_street = found.re in (STREET, _ROAD_AND_HOUSE)
    two = is_street or len(_PLACES.findall(plain)) + len(ROADS.findall(plain)) >= 2
    return two and len(plain) <= _LONGEST_ADDRESS and not _OTHER.search(plain)


def _names_street(plain: str) -> bool:
    """Whether parts with commas between them name a street, or a town by its code, and a number."""
    is_sited = STREET_WORD.search(plain) or POST_CODE.search(plain)
    return len(plain) <= 2 * _LONGEST_ADDRESS and bool(is_sited) and bool(DIGIT.search(plain))


def owner_and_address(text: str) -> tuple[str, str]:
    """Return the organisation that a text names before an address, and the address; "": it names none."""
    owner, rest = "", text
    for _ in range(_MOST_TONGUES):
        found = _ORGANISATION.match(rest.translate(to_simplified()))
        after = found and _AFTER_OWNER.match(rest, found.end())
        if not found or not after or not find_address(rest[after.end() :], labelled=True):
            break
        owner, rest = owner or rest[: found.end()], rest[after.end() :]
    return owner, rest


_AFTER_OWNER = re.compile(r"\s*[,，:：]\s*")
_MOST_TONGUES = 2  # languages in which a name stands

# A line that ends an address abroad: a town with its code, as its country writes them.
TOWN = re.compile(
    rf"(?:.*[^\W\d]{{2,}},?\s+(?:[A-Z]{{2,3}}|[{UPPER}][a-z]+(?: [{UPPER}][a-z]+)?),?\s+\d{{4,5}}(?:-\d{{4}})?"  # Raleigh, NC 27609
    r"|.*[^\W\d]{2,}.*\b(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)"  # Cambridge CB2 1UA
    rf"|(?:[A-Z]{{1,2}}-)?(?:\d{{4,5}}|\d{{3}} \d{{2}}|\d{{2}}-\d{{3}}) [{UPPER}][^\W\d]+(?:[ /-][^\W\d]+){{0,3}})"  # 71034 Böblingen, 783 13 Štěpánov
    rf"(?:,? [{UPPER}][^\W\d]+(?: [{UPPER}][^\W\d]+){{0,2}}\.?)?"  # and its country
)
# What stands above it: a house and its street, the name of a house, a box.
_STREET_LINE = re.compile(r"[^@:：!?。\u4e00-\u9fff]{3,60}")


def ends_address(text: str) -> bool:
    """Whether a line is the town of an address, with its code."""
    return len(text) <= LONGEST_REST and TOWN.fullmatch(text.strip(" ,")) is not None


# More digits than a house, its floor and its door have: a number to call.
_MANY_DIGITS = re.compile(r"(?:\d[ ./-]?){6}")


def is_street(text: str) -> bool:
    """Whether a line above the town may be of the same address."""
    plain = text.strip(EDGES)
    written = (
        plain[:1].isalnum()
        and not _MANY_DIGITS.search(plain)
        and _STREET_LINE.fullmatch(plain) is not None
    )
    return written and not organisation(plain)


# 样例路8号, and in the next line the building and the floor.
_ENDS_IN_STREET = re.compile(rf"(?:{ROAD})\s?\d+\s?[号號]$")
_IN_HOUSE = re.compile(
    r"[\w·（）() -]{0,24}?[\dA-Za-z一二三四五六七八九十]+\s?(?:层|層|楼|樓|室|座|栋|棟|单元)[\w-]{0,8}"
)


def continues_address(address: str, text: str) -> bool:
    """Whether a line is the rest of an address: its house after its town, its town after its street."""
    if len(text) > LONGEST_REST or _OTHER.search(text):
        return False
    if HAN.search(address):
        if _ENDS_IN_STREET.search(address):
            return _IN_HOUSE.fullmatch(text) is not None
        return not HOUSE_NUMBER.search(address) and HOUSE_NUMBER.search(text) is not None
    if HAN.search(text):
        return False
    return ("," in text and POST_CODE.search(text) is not None) or ends_address(text)
