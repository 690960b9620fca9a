"""Texts about one event are more alike than texts about another of its kind."""

import pytest

from focuscrawl.features.stories.events import (
    HEAVIEST_KEPT,
    DocumentCounts,
    StoryWords,
    heaviest_words,
    likeness_of,
    said_in,
)
from focuscrawl.features.stories.matches import EVENT
from focuscrawl.readers.text.words import splitter
from tests.tables import each_row

CUT = splitter().cut

QUAKE = {
    "title": "青川县发生4.2级地震",
    "text": "今天凌晨3时12分，广元市青川县发生4.2级地震，震源深度12公里。县应急管理局说，"
    "暂无人员伤亡报告，部分乡镇震感明显。",
}
QUAKE_AGAIN = {
    "title": "青川4.2级地震暂无伤亡",
    "text": "记者从广元市应急部门了解到，青川县4.2级地震发生后，消防救援队已赶到震中查看房屋，"
    "学校照常上课，居民情绪稳定。震源深度12公里。",
}
OTHER_QUAKE = {
    "title": "石棉县发生3.6级地震",
    "text": "昨天下午，雅安市石棉县发生3.6级地震，震源深度20公里。县应急管理局说，"
    "暂无人员伤亡报告，部分乡镇震感明显。",
}
FOOTBALL = {"title": "蓉城队主场取胜", "text": "昨晚蓉城队在凤凰山球场以二比零战胜来访的对手。"}


def words_of(document: dict[str, str], counts: DocumentCounts) -> StoryWords:
    return heaviest_words(said_in(document["title"], document["text"], CUT), counts)


def likeness_between(
    one: dict[str, str], other: dict[str, str], counts: DocumentCounts | None = None
) -> float:
    known = counts or DocumentCounts()
    words, others = words_of(one, known), words_of(other, known)
    return likeness_of(words, known.weights(words), others, known.weights(others))


def test_another_text_about_the_event_is_alike_and_another_event_of_its_kind_less() -> None:
    same = likeness_between(QUAKE, QUAKE_AGAIN)
    sibling = likeness_between(QUAKE, OTHER_QUAKE)
    assert same > sibling > likeness_between(QUAKE, FOOTBALL)


def test_likeness_is_the_same_both_ways_and_one_with_itself() -> None:
    assert likeness_between(QUAKE, QUAKE) == pytest.approx(1.0)
    assert likeness_between(QUAKE, FOOTBALL) == pytest.approx(likeness_between(FOOTBALL, QUAKE))


def test_what_the_whole_topic_talks_about_makes_nothing_alike() -> None:
    counts = DocumentCounts()
    before = likeness_between(QUAKE, OTHER_QUAKE)
    for number in range(200):
        text = f"{number}号县发生地震，震源深度{number}公里，县应急管理局说暂无人员伤亡报告。"
        counts.add(said_in("地震", text, CUT).strength)
    assert likeness_between(QUAKE, OTHER_QUAKE, counts) < 0.6 * before


def test_a_number_means_what_stands_near_it_on_either_side() -> None:
    before, behind = ("apples", "pears", "plums"), ("roads", "rivers", "ponds")
    said = set(
        said_in("", " ".join(("cows", *before, "1200", *behind, "hills")), CUT).words.values()
    )
    joined = {one.removeprefix("1200 ") for one in said if one.startswith("1200 ")}
    assert len(joined) == 6
    assert all(any(word.startswith(one) for one in joined) for word in (*before, *behind))


def test_names_weigh_double_and_words_at_the_beginning_of_sentences_are_no_names() -> None:
    text = "Yesterday the mayor of Springfield met reporters. Reporters asked the mayor little."
    strength = said_in("", text, CUT).strength
    usual = said_in("", text.lower(), CUT).strength
    doubled = {word for word in strength if strength[word] > 1.9 * usual[word]}
    assert len(doubled) == 1


def test_english_words_are_compared_without_their_endings() -> None:
    one = {"title": "Reactor stopped", "text": "Engineers stopped the reactors."}
    other = {"title": "Engineer stops reactor", "text": "The engineer is stopping the reactor."}
    assert likeness_between(one, other) > 0.9


@each_row(
    ("one", "other", "same"),
    [
        ("story", "stories", True),
        ("recall", "recalling", True),
        ("close", "closed", True),
        ("was", "wa", False),  # shorter than four letters: it stays
        ("sing", "s", False),
        ("blue", "blu", False),
        ("apple", "appl", True),  # of five letters and more the last e goes, too
        ("2030s", "2030", False),
    ],
)
def test_words_of_one_stem_count_as_one(one: str, other: str, *, same: bool) -> None:
    assert (said_in("", one, CUT).strength == said_in("", other, CUT).strength) is same


def test_only_the_heaviest_words_are_kept_and_they_are_sorted() -> None:
    text = " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(300))
    words = heaviest_words(said_in("", text, CUT), DocumentCounts())
    assert len(words.hashes) == HEAVIEST_KEPT
    assert sorted(words.hashes.tolist()) == words.hashes.tolist()


@pytest.mark.parametrize("text", ["", "的 了 是", "!!!", "\ud800"])
def test_texts_without_words_are_alike_to_nothing(text: str) -> None:
    assert likeness_between({"title": "", "text": text}, QUAKE) == 0.0


SHORT_REPORTS = (
    (
        {
            "title": "成都地铁19号线二期开通",
            "text": "9月1日6时10分，成都轨道交通19号线二期开通运营，线路全长43.169公里，设"
            "站12座，其中换乘站6座，最高时速160公里，采用8节编组A型车，高峰发车间"
            "隔4分30秒，全程票价9元，首日投用列车23列，预计日均客流18万人次。",
        },
        {
            "title": "地铁19号线二期今日开通 市民尝鲜",
            "text": "今天早上，成都轨道交通19号线二期开通运营，金融城东站外排起长队。首班"
            "车坐了312人，车厢里有人拍照留念。线路串起天府机场和双流机场，2趟列车"
            "里有1趟直达，市民张先生说出差省了40分钟。",
        },
    ),
    (
        {
            "title": "青川发生4.2级地震",
            "text": "据台网测定，11月3日3时12分在广元市青川县（北纬32.41度，东经105.02度）"
            "发生4.2级地震，震源深度12公里，距青川县城28公里，距广元市89公里，距成"
            "都市231公里，5公里内平均海拔1210米，5公里内有3个乡镇。",
        },
        {
            "title": "青川地震暂无人员伤亡",
            "text": "广元市青川县今天凌晨发生的地震暂无人员伤亡。消防救援支队派出2车9人前"
            "往乔庄镇查看，学校房屋没有损坏，县城供水供电正常，居民已经陆续回家。",
        },
    ),
    (
        {
            "title": "蔬菜批发价一周回落",
            "text": "彭州蔬菜批发市场数据：11月2日白菜每公斤1.2元，降8%；萝卜每公斤0.9元，"
            "降6%；芹菜每公斤3.4元，降11%；莴笋每公斤2.6元，降5%；黄瓜每公斤4.8元"
            "，升2%；总成交量4100吨，比前一日多300吨，到货车辆870台。",
        },
        {
            "title": "彭州蔬菜价格回落 到货增加",
            "text": "彭州蔬菜批发市场的白菜、萝卜、芹菜价格都在回落。市场负责人说，天气转"
            "好，本地莴笋集中上市，到货车辆比上周多，预计12月前价格还会走低。",
        },
    ),
    (
        {
            "title": "岷江大桥封闭施工公告",
            "text": "因岷江大桥伸缩缝更换，11月5日0时至11月25日24时封闭，长620米，双向4车"
            "道，限高4.5米，绕行距离7.2公里，公交102路、103路、115路、K7路临时改道"
            "，增设站点5处，投入工人86名，分3个阶段施工。",
        },
        {
            "title": "岷江大桥封闭首日 绕行车辆增多",
            "text": "岷江大桥因伸缩缝更换封闭的第一天，绕行的车辆明显增多。交警在路口疏导"
            "，公交改道后部分市民换乘了地铁。施工方说夜间也会作业，争取提前完工。",
        },
    ),
    (
        {
            "title": "马拉松赛果公布",
            "text": "10月26日7时30分，绵阳马拉松鸣枪，全程42.195公里，参赛2.5万人，男子冠"
            "军2小时11分43秒，亚军2小时12分09秒，季军2小时13分55秒，女子冠军2小时2"
            "9分17秒，完赛率97.6%，志愿者3200名，补给站17处，医疗点22处。",
        },
        {
            "title": "绵阳马拉松鸣枪 肯尼亚选手夺冠",
            "text": "绵阳马拉松昨天早晨在科技城鸣枪开跑，肯尼亚选手夺得男子冠军，国内选手"
            "包揽女子前三名。沿途市民敲锣打鼓加油，完赛的跑者领到了奖牌。",
        },
    ),
    (
        {
            "title": "粮库火灾扑灭",
            "text": "11月7日14时36分，眉山市东坡区粮库3号仓起火，出动消防车18台、消防员92"
            "人，14时58分到场，16时20分明火扑灭，过火面积约340平方米，涉及玉米1100"
            "吨，疏散职工57人，无人员伤亡。",
        },
        {
            "title": "眉山东坡区粮库起火 无人员伤亡",
            "text": "眉山市东坡区一处粮库昨天下午起火，消防赶到后扑灭了明火，无人员伤亡。"
            "附近居民看见浓烟，粮库职工已经疏散，起火原因正在调查，应急管理局已介"
            "入。",
        },
    ),
    (
        {
            "title": "社保缴费基数公布",
            "text": "四川省2026年度社保缴费基数：上限22317元，下限4464元，养老保险单位16%"
            "、个人8%，失业保险单位0.6%、个人0.4%，工伤保险按0.2%至1.9%，补缴截止1"
            "2月25日，涉及参保职工1290万人，7月起执行。",
        },
        {
            "title": "四川社保缴费基数上调 影响多少人",
            "text": "四川省社保缴费基数调整，参保职工的养老保险和失业保险缴费随之变化。人"
            "社厅解释，上限和下限按平均工资计算，单位需要补缴差额，个人账户也会增"
            "加。",
        },
    ),
    (
        {
            "title": "医院招聘公告",
            "text": "泸州市中医医院招聘：医师35名，护士60名，药师6名，技师9名，年龄35岁以"
            "下，护士30岁以下，报名11月10日9时至11月16日17时，笔试11月29日9时，面"
            "试12月6日，笔试占60%，面试占40%，咨询电话0830-3190000。",
        },
        {
            "title": "泸州中医医院招百余人",
            "text": "泸州市中医医院面向社会招聘医师、护士、药师和技师，报名在网上进行，先"
            "笔试后面试。医院人事科说，硕士可以免笔试，录用后有编制，咨询可以打电"
            "话。",
        },
    ),
)
"""Of one event each: a bulletin full of numbers, and what people say."""


def test_numbers_do_not_crowd_the_words_out_of_short_reports() -> None:
    counts = DocumentCounts()
    said = [[said_in(one["title"], one["text"], CUT) for one in pair] for pair in SHORT_REPORTS]
    for one in (report for pair in said for report in pair):
        counts.add(one.strength)
    found = [[heaviest_words(one, counts) for one in pair] for pair in said]
    weights = [[counts.weights(one) for one in pair] for pair in found]
    alike = [
        likeness_of(first, told, second, retold)
        for (first, second), (told, retold) in zip(found, weights, strict=True)
    ]
    apart = [
        likeness_of(found[one][0], weights[one][0], found[other][1], weights[other][1])
        for one in range(len(found))
        for other in range(len(found))
        if one != other
    ]
    assert sum(likeness >= EVENT for likeness in alike) >= 5, alike  # none was before
    assert min(alike) > max(apart)
