"""A judge of pages: trained from labels, kept in a file without pickle, refused when damaged."""

import json
import os
import pickle
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.relevance.model import (
    BORDER,
    FEWEST_PAGES_TAUGHT,
    LARGEST_MODEL,
    PLACES,
    ModelError,
    PageModel,
    Sample,
    features,
    sigmoid,
    train,
)
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.readers.relevance.table import RelevanceTable
from focuscrawl.template.load import load
from focuscrawl.template.toml import TemplateErrors

pytestmark = pytest.mark.trained_judge

METRO = ["盾构", "隧道", "站台", "列车", "线路", "开通", "换乘", "轨道", "施工", "客流"]
OTHERS = ["股票", "足球", "天气", "菜谱", "电影", "手机", "旅游", "房价", "考试", "音乐"]
COMMON = ["今天", "记者", "表示", "我们", "市民", "公司", "发展", "问题", "工作", "时间"]


def samples(relevant: int, irrelevant: int, seed: int = 1) -> list[Sample]:
    """Made-up pages: most words are common, some tell the two kinds apart."""
    draw = random.Random(seed)

    def page(own: list[str], *, is_relevant: bool) -> Sample:
        words = draw.choices(COMMON, k=40) + draw.choices(own, k=6)
        draw.shuffle(words)
        return Sample(draw.choice(COMMON), "，".join(words), is_relevant)

    pages = [page(METRO, is_relevant=True) for _ in range(relevant)]
    return pages + [page(OTHERS, is_relevant=False) for _ in range(irrelevant)]


@pytest.fixture(scope="module")
def model() -> PageModel:
    return train(samples(40, 60), "metro").model


@pytest.fixture
def file(model: PageModel, tmp_path: Path) -> Path:
    path = tmp_path / "metro.model"
    model.write(path)
    return path


# Training


def test_a_judge_learns_what_people_have_said(model: PageModel) -> None:
    unseen = samples(100, 100, seed=2)
    right = sum((model.score(*page[:2]) >= BORDER) == page.relevant for page in unseen)
    assert right / len(unseen) > 0.95
    assert 0 <= model.score("", "") <= 1


def test_training_tells_how_good_it_is_and_warns_of_few_labels() -> None:
    trained = train(samples(40, 60), "metro")
    assert (trained.relevant, trained.irrelevant) == (40, 60)
    assert trained.precision > 0.9
    assert trained.recall > 0.9
    assert "few labels (40 relevant, 60 irrelevant)" in trained.warning
    assert train(samples(200, 200), "metro").warning == ""
    noise = [page._replace(relevant=not number % 3) for number, page in enumerate(samples(60, 60))]
    assert train(noise, "metro").precision < 0.8


def test_the_same_labels_give_the_same_judge(model: PageModel) -> None:
    again = train(samples(40, 60), "metro").model
    assert again.score("开通", "盾构，隧道") == model.score("开通", "盾构，隧道")


@pytest.mark.parametrize(
    ("relevant", "irrelevant"),
    [(FEWEST_PAGES_TAUGHT - 1, 50), (50, FEWEST_PAGES_TAUGHT - 1), (0, 0)],
)
def test_too_few_labels_are_refused(relevant: int, irrelevant: int) -> None:
    with pytest.raises(ModelError, match=f"too few labels: {relevant} relevant and {irrelevant}"):
        train(samples(relevant, irrelevant), "metro")
    train(samples(FEWEST_PAGES_TAUGHT, FEWEST_PAGES_TAUGHT), "metro")


def test_features_are_latin_words_and_pairs_of_han_characters() -> None:
    assert features("BIM 2026，盾构机，好") == ["bim", "2026", "盾构", "构机", "好"]
    assert features("") == []


@given(st.text(), st.text())
def test_any_text_has_a_score(title: str, text: str) -> None:
    weights = np.ones(PLACES, np.float32)
    assert 0 <= PageModel(weights, 0.0, {}).score(title, text) <= 1


@given(st.floats(-1e6, 1e6))
def test_the_sigmoid_never_overflows(margin: float) -> None:
    assert sigmoid(margin) + sigmoid(-margin) == pytest.approx(1)


# The file


def test_a_judge_read_back_scores_the_same(model: PageModel, file: Path) -> None:
    read = PageModel.read(file)
    for page in samples(5, 5, seed=3):
        assert read.score(page.title, page.text) == model.score(page.title, page.text)
    assert read.header["topic"] == "metro"
    assert read.header["relevant"] == 40
    assert [one.name for one in file.parent.iterdir()] == ["metro.model"]


def rewritten(file: Path, **changed: object) -> Path:
    """The file with other entries in its header, or other weights."""
    with np.load(file) as arrays:
        header, weights = json.loads(arrays["header"].tobytes()), arrays["weights"]
    weights = changed.pop("weights", weights)
    text = np.frombuffer(json.dumps(header | changed).encode(), np.uint8)
    with file.open("wb") as out:
        np.savez_compressed(out, header=text, weights=np.asarray(weights))
    return file


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": "another"}, "is no model of scrapy topic train"),
        ({"version": 2}, "has version 2 .* train it again"),
        ({"places": 16}, "and 16 places.*train it again"),
        ({"intercept": "0"}, "damaged: its intercept is '0'"),
        ({"intercept": float("nan")}, "damaged: its intercept is nan"),
        ({"weights": np.ones(5, np.float32)}, "damaged: its weights"),
        ({"weights": np.ones(PLACES, np.float64)}, "damaged: its weights"),
        ({"weights": np.full(PLACES, np.inf, np.float32)}, "damaged: its weights"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    changed: dict[str, object], message: str, file: Path
) -> None:
    with pytest.raises(ModelError, match=message):
        PageModel.read(rewritten(file, **changed))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"[]", pickle.dumps({"weights": 1})])
def test_garbage_is_no_model(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="is no model of scrapy topic train"):
        PageModel.read(path)


@pytest.mark.parametrize("place", [40, 500, -30, -2])
def test_a_file_cut_short_is_refused(place: int, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:place])
    with pytest.raises(ModelError, match="is no model"):
        PageModel.read(file)


class Dangerous:
    """What a pickle may do when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.mark),)


def test_a_pickle_inside_the_archive_is_not_run(tmp_path: Path) -> None:
    path, mark = tmp_path / "x.model", tmp_path / "mark"
    with path.open("wb") as out:
        np.savez(out, header=np.array([Dangerous(mark)], dtype=object), weights=np.ones(3))
    with pytest.raises(ModelError, match="is no model"):
        PageModel.read(path)
    assert not mark.exists()


def test_an_archive_that_unpacks_to_very_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", bytes(LARGEST_MODEL + 1))
    with pytest.raises(ModelError, match="unpacks to more than"):
        PageModel.read(path)


def test_a_file_that_is_not_there_says_who_writes_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"No such file.* scrapy topic train NAME writes it"):
        PageModel.read(tmp_path / "none.model")


# In a topic

TOPIC = """
[topic]
require = "{}"
[relevance]
model = "metro.model"
[[source]]
url = "https://a.cn/"
"""


def test_a_topic_scores_by_its_model(file: Path) -> None:
    path = file.with_name("metro.toml")
    path.write_text(TOPIC.format("成都"), "utf-8")
    scorer = load(path, environment={}).template.once(PageScorer.of)
    about, other = "盾构，隧道，站台，列车", "股票，足球，天气，菜谱"
    assert scorer.score("成都", about).relevant
    assert scorer.score("成都", other).reason == "score"
    assert scorer.score("", about).reason == "require:成都"


def test_a_model_that_is_not_there_is_a_problem_only_for_who_needs_it(tmp_path: Path) -> None:
    path = tmp_path / "metro.toml"
    path.write_text(TOPIC.format("成都"), "utf-8")
    assert load(path).template.of(RelevanceTable).model == tmp_path / "metro.model"
    with pytest.raises(TemplateErrors, match=r"line 5  \[relevance\] model.*No such file"):
        load(path, environment={})


WITHOUT = """
import sys
sys.modules["sklearn"] = None
from pathlib import Path
from focuscrawl.readers.relevance.model import ModelError, PageModel
from focuscrawl.readers.relevance.model import train
for attempt in (lambda: PageModel.read(Path(sys.argv[1])), lambda: train([], "x")):
    try:
        attempt()
    except ModelError as error:
        print(error)
"""


@pytest.mark.program
def test_without_the_extra_it_is_named(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, file], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("pip install 'focuscrawl[ml]'") == 2
