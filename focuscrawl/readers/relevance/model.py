"""A trained judge of pages, and its training: a linear model over hashed words, in a file without pickle.

The file is a numpy archive of two arrays: ``header`` (JSON as bytes) and ``weights`` (float32, one
for each of 2¹⁸ places). Features are Latin words and pairs of neighbouring Han characters, hashed by
scikit-learn (the optional extra ``ml``), each counted once, the whole brought to length 1. It is trained
from what people have called relevant and irrelevant.
"""

from __future__ import annotations

import json
import math
import re
import zipfile
import zlib
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.stores.state.drafts import draft_of
from focuscrawl.values import Json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Weights = NDArray[np.float32]

FORMAT = "focuscrawl page model"
_MODEL_VERSION = 1
PLACES = 2**18
LARGEST_MODEL = 64 * 2**20
"""Bytes a model file may unpack to; ours are 1 MB."""

_LONGEST_READ = 20_000
"""Characters of a text that are looked at."""

WORDS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
MODEL_MISSING = (
    "scikit-learn is not installed; install it with pip install 'focuscrawl[ml]', or take"
    " relevance.model out of the template to go by keywords"
)

DAMAGES = (ValueError, KeyError, EOFError, RecursionError, zipfile.BadZipFile, zlib.error)
"""What reading a file that is no model may raise."""


class ModelError(ValueError):
    """A model that cannot be used or made; the message says why and what to do."""


class PageModel:
    """Scores pages by what a person has called relevant.

    ``header`` says what it was trained with (see ``relevance.training``); ``weights`` has PLACES
    numbers. Raises ModelError when scikit-learn is missing.
    """

    __slots__ = ("_intercept", "_weights", "header")

    def __init__(self, weights: Weights, intercept: float, header: Json) -> None:
        vectorizer()
        self._weights = weights
        self._intercept = intercept
        self.header = header

    def score(self, title: str, text: str) -> float:
        """Return how likely a page is relevant, 0 to 1."""
        row = vectorizer().transform([document(title, text)])
        margin = float(self._weights[row.indices] @ row.data) + self._intercept
        return sigmoid(margin)

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        import numpy as np  # noqa: PLC0415 - as below

        header = self.header | {
            "format": FORMAT,
            "version": _MODEL_VERSION,
            "places": PLACES,
            "intercept": self._intercept,
        }
        text = np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8)
        with draft_of(path) as draft, draft.open("wb") as file:
            np.savez_compressed(file, header=text, weights=self._weights)

    @classmethod
    def read(cls, path: Path) -> PageModel:
        """Read a file; raises ModelError unless it is a whole model of a version we know."""
        import numpy as np  # noqa: PLC0415 - a template without a model is checked without it

        try:
            with zipfile.ZipFile(path) as archive:
                if sum(one.file_size for one in archive.infolist()) > LARGEST_MODEL:
                    raise ModelError(
                        f"{path} is no model: it unpacks to more than {LARGEST_MODEL} bytes"
                    )
            with np.load(path, allow_pickle=False) as arrays:
                header = json.loads(arrays["header"].tobytes())
                weights = arrays["weights"]
        except OSError as error:
            raise ModelError(
                f"{path} cannot be read: {error.strerror or error};"
                " scrapy topic train NAME writes it"
            ) from None
        except ModelError:
            raise
        except DAMAGES as error:
            raise ModelError(f"{path} is no model of scrapy topic train: {error}") from None
        return cls(weights, _checked(header, weights, path), header)


def _checked(header: Any, weights: NDArray[Any], path: Path) -> float:
    """Return the intercept of a model whose parts fit together."""
    import numpy as np  # noqa: PLC0415 - as above

    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelError(f"{path} is no model of scrapy topic train")
    if header.get("version") != _MODEL_VERSION or header.get("places") != PLACES:
        raise ModelError(
            f"{path} has version {header.get('version')!r} and {header.get('places')!r} places, this"
            f" focuscrawl reads {_MODEL_VERSION} and {PLACES}: train it again"
        )
    intercept = header.get("intercept")
    good = weights.dtype == np.float32 and weights.shape == (PLACES,)
    if not good or not np.isfinite(weights).all():
        raise ModelError(f"{path} is damaged: its weights are not {PLACES} numbers")
    if not isinstance(intercept, float) or not math.isfinite(intercept):
        raise ModelError(f"{path} is damaged: its intercept is {intercept!r}")
    return intercept


def document(title: str, text: str) -> str:
    """Return what is looked at of a page, as one text."""
    return f"{title}\n{text[:_LONGEST_READ]}"


def features(text: str) -> list[str]:
    """Return Latin words in small letters and pairs of neighbouring Han characters."""
    found: list[str] = []
    for word in WORDS.findall(text.lower()):
        if word[0] < "\u3400" or len(word) == 1:
            found.append(word)
        else:
            found += [first + second for first, second in pairwise(word)]
    return found


def sigmoid(margin: float) -> float:
    """Return 1 / (1 + e^-margin), without overflow."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, margin))))


@cache
def vectorizer() -> Any:
    """Return scikit-learn's vectorizer; raises ModelError without scikit-learn."""
    try:
        from sklearn.feature_extraction.text import HashingVectorizer  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ModelError(MODEL_MISSING) from error
    return HashingVectorizer(
        analyzer=features, n_features=PLACES, alternate_sign=False, binary=True, norm="l2"
    )


FEWEST_PAGES_TAUGHT = 20
"""Pages of either kind without which nothing is trained."""

_ENOUGH_PAGES = 200
"""Pages of either kind from which on a trained judge was seen to pass keywords."""

FOLDS = 5
BORDER = 0.3
"""The score given to the margin that parted the pages best: the default relevance.threshold."""


class Sample(NamedTuple):
    """A page and how a person has judged it."""

    title: str
    text: str
    relevant: bool


class Trained(NamedTuple):
    """A model and how well it does on pages it has not seen (cross-validation, shares 0 to 1).

    ``warning`` says when there were few labels, else "". The numbers are a little kind, since the
    border was chosen on the same pages.
    """

    model: PageModel
    relevant: int
    irrelevant: int
    precision: float
    recall: float
    warning: str


def train(samples: Sequence[Sample], topic: str) -> Trained:
    """Train by stochastic gradient descent on the logistic loss; the same samples give the same.

    ``topic`` is kept in the model's header. Raises ModelError with fewer than FEWEST pages of
    either kind, or without scikit-learn.
    """
    import numpy as np  # noqa: PLC0415 - as above

    try:
        from sklearn.linear_model import SGDClassifier  # noqa: PLC0415 - an extra
        from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModelError(MODEL_MISSING) from error
    truth = np.array([sample.relevant for sample in samples], dtype=bool)
    relevant, irrelevant = int(truth.sum()), int((~truth).sum())
    if min(relevant, irrelevant) < FEWEST_PAGES_TAUGHT:
        raise ModelError(
            f"too few labels: {relevant} relevant and {irrelevant} irrelevant pages with a text,"
            f" and {FEWEST_PAGES_TAUGHT} of each are the least ({_ENOUGH_PAGES} of each are good)"
        )
    rows = vectorizer().transform([document(one.title, one.text) for one in samples])
    classifier = SGDClassifier(loss="log_loss", class_weight="balanced", random_state=0)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    unseen = cross_val_predict(classifier, rows, truth, cv=folds, method="decision_function")
    border, precision, recall = _best_border(unseen, truth)
    classifier.fit(rows, truth)
    shift = math.log(BORDER / (1 - BORDER)) - border
    header = {
        "topic": topic,
        "relevant": relevant,
        "irrelevant": irrelevant,
        "precision": round(precision, 4),
        "recall": round(recall, 4),
    }
    weights = np.ascontiguousarray(classifier.coef_[0], dtype=np.float32)
    model = PageModel(weights, float(classifier.intercept_[0]) + shift, header)
    return Trained(model, relevant, irrelevant, precision, recall, _warning(relevant, irrelevant))


def _warning(relevant: int, irrelevant: int) -> str:
    if min(relevant, irrelevant) >= _ENOUGH_PAGES:
        return ""
    return (
        f"few labels ({relevant} relevant, {irrelevant} irrelevant): below {_ENOUGH_PAGES} of each good"
        " keywords are often better; compare before you use it"
    )


def _best_border(margins: NDArray[Any], truth: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the margin that parts best by F1, halfway between two pages, precision and recall."""
    import numpy as np  # noqa: PLC0415 - as above

    order = np.argsort(-margins, kind="stable")
    sorted_margins = margins[order]
    right = np.cumsum(truth[order])
    taken = np.arange(1, len(truth) + 1)
    best = int(np.argmax(2 * right / (taken + truth.sum())))
    following = sorted_margins[min(best + 1, len(truth) - 1)]
    border = float(sorted_margins[best] + following) / 2
    return border, float(right[best] / taken[best]), float(right[best] / truth.sum())
