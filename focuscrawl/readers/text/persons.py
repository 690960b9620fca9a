"""Names of persons as Chinese pages print them: surname first, spread over the line, several, foreign.

A name that a label introduces (作者：) may be any; one that only its place introduces must begin with a
surname and be no everyday word, for 高考 and 黄山 stand in such places, too.
"""

from __future__ import annotations

import re

# The surnames of nine in ten Chinese; they tell where a name begins that is glued to its office.
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜"
    "范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧鲁殷陶詹倪严牛温芦俞章施翁柳祝葛岳"
)
# Rarer ones, and those that are written otherwise elsewhere: after other names, and of three characters.
RARE_SURNAMES = (
    "尚裴骆韦苗岑柏童颜梅盛宁冉曲费伍佟桂莫宫庞卜聂冼鲍凌霍洪饶卓蓝甘翟姬阮褚柯桑滕巩邢樊喻項張陳劉楊趙黃吳孫羅鄭謝韓馮蕭許呂盧蔣賈葉閻鍾陸萬錢"
    "湯賀賴嚴龍馬駱顏關"
)
_DOUBLE = "欧阳|歐陽|司马|司馬|上官|诸葛|諸葛|皇甫|司徒|慕容|端木|令狐|夏侯|公孙|尉迟"
# Those of them that begin everyday words of two characters: 高考, 万元, 夏天. Alone with one more, they
# are no sure name.
_OF_WORDS = "万常高石金方江白黄武龙严温施任余周马牛毛何陆曾解田章程易康钱许雷林于苏叶夏钟范熊史顾段汤贺文欧陶芦祝成安时"
# Other words that begin as a name does and stand where an author may: columns, places, dynasties.
_WORDS_LIKE_NAMES = re.compile(
    r"王[国位者牌家]|张[力贴]|陈[列述设旧年]|杨[树梅柳]|徐[州徐]|孙[子女]|胡[乱须同说]|朱[漆红]|罗[马列汉盘]|宋[词代朝]|郑[重州]|谢[谢幕绝意]|韩[国剧语]|唐[诗代朝山]|董事.?"
    r"|萧[条山]|沈阳|卢布|丁[香字]|杜[绝撰鹃]|戴上|汪洋|孔[子雀]|秦[岭代国腔皇]|孟[子婆]|黎[明族]|乔木|鲁莽|殷[勤切]|柳[州树]|岳[父母阳]"
    r"|高(?:血压|中生|科技|质量|新区|分子|峰期|利贷|尔夫|年级|等.)|万(?:元|亩|吨|余|多|家|公|美).|马(?:拉松|铃薯|鞍山|克思|来西)|金(?:融|黄|属|沙|三).|石(?:家庄|灰.|油.)|江(?:苏|西|南|北).|黄[河山土金].|白(?:皮书|血病|细胞|洋淀|酒.)"
    r"|任何.|解[放读析].|[文时历成安].{1,2}|曲.+|费.+|方(?:向|法|案|言).|常(?:见|用|务|规|州|住).|周(?:边|年|期|末|报|刊).|唐宋.|苏(?:维埃|格兰|州.)|欧[洲盟美共].|武(?:汉|当|警|术).|张家[口界港]|龙(?:头|舟|卷).|施(?:工|用|行).|韩国.|顾[不客问].|易[经于拉].|陈列.|程序.|田[径园].|史[料学].|余[^·].?|林(?:业|场|区).|章[程节].|许多."
)
_NO_END = re.compile(
    r"[省市县區区镇乡局部处科室网報报社院校所会會站台馆厂店街版刊]$|先生$|女士$|经理$|小姐$|老师$|主任$"
)
_NEAR = r"(?![\u4e00-\u9fff])"
# Python takes a third of a millisecond for each class of characters, and these are in many expressions:
# what their names have in common stands once.
PERSON = (
    rf"(?:(?:(?:{_DOUBLE}|[{SURNAMES}])[\u4e00-\u9fff]{{1,2}}|[{RARE_SURNAMES}][\u4e00-\u9fff]{{2}})"
    rf"{_NEAR})"
)
FOREIGNER = r"[\u4e00-\u9fff]{1,8}(?:[·•・‧][\u4e00-\u9fff]{1,8}){1,3}"
_ONE_PERSON = (
    rf"(?:{FOREIGNER}|(?:{_DOUBLE}|[{SURNAMES}{RARE_SURNAMES}])[\u4e00-\u9fff]{{1,2}}{_NEAR})"
)
PERSONS = rf"{PERSON}(?:\s?(?:[、，,;；/ ]\s?{_ONE_PERSON}|[、，]\s?[\u4e00-\u9fff]{{2,3}}{_NEAR})){{0,5}}"
_PERSON_NAMES = re.compile(PERSONS)
_LONGEST_PERSONS = 40  # characters of six names with their marks
_BETWEEN_NAMES = re.compile(r"[、，,;；/ ]+")
# A name of two or three characters, as wide as those beside it.
_SPREAD = re.compile(
    r"(?<![\u4e00-\u9fff/／])[\u4e00-\u9fff](?: [\u4e00-\u9fff]){1,3}(?![\u4e00-\u9fff])"
)


def unspread(text: str) -> str:
    """Return a text with single characters that stand apart put together: 张 三 is 张三.

    Four are two names of two.
    """
    return _SPREAD.sub(lambda match: _together(match[0].split()), text)


def _together(letters: list[str]) -> str:
    pairs = (letters[:2], letters[2:]) if len(letters) == 4 else (letters,)
    return " ".join(map("".join, pairs))


def are_persons(text: str) -> bool:
    """Whether a text, unspread, is nothing but the names of persons, by its looks alone.

    The first must begin with a surname. 中国·某某县 looks as a foreign name does, so none stands first.
    """
    if len(text) > _LONGEST_PERSONS or _PERSON_NAMES.fullmatch(text) is None:
        return False
    names = _BETWEEN_NAMES.split(text)
    if len(names) == 1 and len(text) == 2 and text[0] in _OF_WORDS:
        return False
    return not any(_WORDS_LIKE_NAMES.fullmatch(one) or _NO_END.search(one) for one in names)
