"""The keywords of a kept article are its own, under the topic's dictionary."""

from focuscrawl.features.articles.reader import keywords_of
from focuscrawl.template.load import load
from focuscrawl.values import Article

SOURCE = '\n[[source]]\nurl = "https://a.example.cn/"\n'
PLAIN = load('topic.name = "metro"' + SOURCE).template
NAMED = load('topic.name = "metro"\ntopic.dictionary = ["天府通"]' + SOURCE).template

ARTICLE = Article(
    url_key="0" * 32,
    url="https://a.example.cn/1.html",
    host="a.example.cn",
    title="天府通升级",
    text="天府通可以乘坐地铁，也可以乘坐公交。市民在地铁站就能办理天府通。",
)


def test_a_name_of_the_dictionary_is_the_first_keyword() -> None:
    assert keywords_of(ARTICLE, NAMED)[0][0] == "天府通"
    assert "天府通" not in dict(keywords_of(ARTICLE, PLAIN))


def test_title_and_text_count_and_numbers_do_not() -> None:
    words = dict(keywords_of(ARTICLE, PLAIN))
    assert {"升级", "地铁", "地铁站", "公交", "市民"} <= words.keys()
    assert all(0 < weight < 12 for weight in words.values())
