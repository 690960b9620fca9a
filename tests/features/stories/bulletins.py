"""Bulletins of one mould: one text a day, with other numbers, places and words of one choice.

Each is an event of its own. A mould is ``mould(random) -> (title, text)``.
"""

from collections.abc import Callable
from random import Random

Mould = Callable[[Random], tuple[str, str]]

DISTRICTS = ("青羊区", "锦江区", "武侯区", "金牛区", "成华区", "双流区", "温江区", "新都区")
STREETS = ("人民路", "建设路", "解放路", "府青路", "科华路")
TOWNS = ("Ashford", "Brampton", "Carlow", "Dunmore", "Elmsley", "Fenwick")


def weather(random: Random) -> tuple[str, str]:
    low = random.uniform(0, 15)
    return "成都市区天气预报", (
        f"成都市气象台今天6时发布天气预报。今天白天{random.choice(['晴', '多云', '阴', '小雨'])}，"
        f"最高气温{low + random.uniform(4, 11):.1f}℃，最低气温{low:.1f}℃，"
        f"偏{random.choice('东南西北')}风{random.randint(1, 4)}级，相对湿度{random.randint(40, 95)}%。"
        f"空气质量{random.choice(['优', '良', '轻度污染'])}，指数{random.randint(30, 140)}。"
        f"气象专家提醒市民外出注意{random.choice(['保暖', '防晒', '带伞'])}，早晚温差较大，请及时增减衣物。"
    )


def prices(random: Random) -> tuple[str, str]:
    goods = random.sample(["大白菜", "西红柿", "黄瓜", "土豆", "猪肉", "鸡蛋", "青椒"], 4)
    listed = "，".join(
        f"{name}每公斤{random.uniform(1, 30):.1f}元，较昨日{random.choice(['上涨', '下跌'])}"
        f"{random.uniform(0, 9):.1f}%"
        for name in goods
    )
    return "今日蔬菜批发价格行情", (
        f"白家农产品批发市场今日行情：{listed}。今日上市量{random.randint(500, 3000)}吨，交易活跃。"
        "市场负责人表示，货源充足，价格总体平稳。"
    )


def fires(random: Random) -> tuple[str, str]:
    place = random.choice(DISTRICTS)
    return f"{place}一{random.choice(['居民楼', '仓库', '餐馆', '商铺'])}发生火灾", (
        f"{random.randint(1, 12)}月{random.randint(1, 28)}日{random.randint(0, 23)}时"
        f"{random.randint(0, 59)}分，{place}消防救援大队接到报警，{random.choice(STREETS)}"
        f"{random.randint(1, 300)}号发生火灾。消防救援站立即出动{random.randint(2, 6)}辆消防车、"
        f"{random.randint(8, 40)}名指战员赶赴现场处置。{random.randint(10, 90)}分钟后明火被扑灭，"
        f"过火面积{random.randint(2, 300)}平方米，无人员伤亡，起火原因正在调查。"
        "消防部门提醒市民注意用火用电安全。"
    )


def rates(random: Random) -> tuple[str, str]:
    return "人民币汇率中间价公告", (
        "中国外汇交易中心受权公布，今日银行间外汇市场人民币汇率中间价为："
        f"1美元对人民币{random.uniform(6.8, 7.3):.4f}元，1欧元对人民币{random.uniform(7.3, 8):.4f}元，"
        f"100日元对人民币{random.uniform(4.5, 5):.4f}元，1港元对人民币{random.uniform(0.88, 0.93):.5f}元，"
        f"1英镑对人民币{random.uniform(8.8, 9.5):.4f}元。"
    )


def quakes(random: Random) -> tuple[str, str]:
    place = random.choice(["青川县", "石棉县", "芦山县", "泸定县", "长宁县", "九寨沟县"])
    return f"四川{place}发生地震", (
        f"中国地震台网正式测定：{random.randint(1, 28)}日{random.randint(0, 23)}时"
        f"{random.randint(0, 59)}分在四川{place}（北纬{random.uniform(28, 33):.2f}度，东经"
        f"{random.uniform(101, 105):.2f}度）发生{random.uniform(2.8, 5):.1f}级地震，"
        f"震源深度{random.randint(7, 22)}千米。当地应急管理部门正在了解情况，暂无人员伤亡报告。"
    )


def rivers(random: Random) -> tuple[str, str]:
    return "岷江水情通报", (
        f"市水文中心今日8时通报：岷江都江堰站水位{random.uniform(725, 730):.2f}米，流量每秒"
        f"{random.randint(200, 1900)}立方米；沱江三皇庙站水位{random.uniform(440, 446):.2f}米，流量每秒"
        f"{random.randint(50, 900)}立方米。过去24小时平均降雨{random.uniform(0, 60):.1f}毫米，"
        f"{random.randint(1, 14)}座水库超汛限水位。请沿江群众注意安全，远离河道。"
    )


def english_weather(random: Random) -> tuple[str, str]:
    return "Weather forecast", (
        f"The Met Office forecast for today: {random.choice(['sunny', 'cloudy', 'rain', 'fog'])} in the "
        f"morning, {random.choice(['dry', 'wet', 'bright'])} later. Highs of {random.randint(8, 25)}C and "
        f"lows of {random.randint(-5, 7)}C. Winds from the "
        f"{random.choice(['north', 'south', 'east', 'west'])} at {random.randint(5, 40)} mph. Chance of "
        f"rain {random.randint(0, 99)} percent. Forecasters advise drivers to take care on exposed roads. "
        f"The outlook for tomorrow is {random.choice(['settled', 'mild', 'cold'])} with temperatures "
        f"near {random.randint(2, 20)}C."
    )


def english_fires(random: Random) -> tuple[str, str]:
    place = random.choice(TOWNS)
    return f"Crews called to {random.choice(['house', 'garage', 'barn', 'car'])} fire in {place}", (
        f"Firefighters were called to a fire in {random.choice(['Mill Lane', 'High Street'])}, {place}, at "
        f"{random.randint(0, 23):02d}:{random.randint(0, 59):02d} on "
        f"{random.choice(['Monday', 'Friday', 'Sunday'])}. {random.choice(['Two', 'Three', 'Four'])} "
        f"engines and {random.randint(8, 70)} firefighters attended. The blaze was put out within "
        f"{random.randint(20, 190)} minutes and nobody was hurt. The cause is being investigated. The "
        f"fire service reminds residents to test their smoke alarms."
    )


def english_rates(random: Random) -> tuple[str, str]:
    return "Exchange rates at the close", (
        f"The dollar closed at {random.uniform(0.8, 1):.4f} euros and {random.uniform(140, 155):.2f} yen. "
        f"The pound was at {random.uniform(1.2, 1.3):.4f} dollars. The central bank set its reference "
        f"rate at {random.uniform(6.8, 7.3):.4f}. Traders said volumes were "
        f"{random.choice(['thin', 'steady', 'heavy'])}. Gold was at {random.randint(1800, 2600)} dollars an "
        f"ounce and oil at {random.uniform(60, 90):.2f}."
    )


def english_prices(random: Random) -> tuple[str, str]:
    goods = random.sample(["potatoes", "onions", "carrots", "apples", "wheat", "barley", "milk"], 4)
    listed = "; ".join(
        f"{name} {random.uniform(1, 90):.2f} a kilo, {random.choice(['up', 'down'])} "
        f"{random.uniform(0, 9):.1f} percent"
        for name in goods
    )
    return "Market prices today", (
        f"Wholesale prices at the market today: {listed}. Some {random.randint(500, 3000)} tonnes came "
        f"to market. The market office said supply was ample."
    )


MOULDS: tuple[Mould, ...] = (
    weather,
    prices,
    fires,
    rates,
    quakes,
    rivers,
    english_weather,
    english_fires,
    english_rates,
    english_prices,
)
