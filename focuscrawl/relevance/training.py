"""Training a judge of pages from what people have called relevant and irrelevant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.relevance.model import MODEL_MISSING, ModelError, PageModel, document, vectorizer

FEWEST_PAGES_TAUGHT = 20
"""Pages of either kind without which nothing is trained."""

_ENOUGH = 200
"""Pages of either kind from which on a trained judge was seen to pass keywords."""

FOLDS = 5
BORDER = 0.3
"""The score given to the margin that parted the pages best: the default relevance.threshold."""


class Sample(NamedTuple):
    """A page and what a person has said of it."""

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
            f" and {FEWEST_PAGES_TAUGHT} of each are the least ({_ENOUGH} of each are good)"
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
    if min(relevant, irrelevant) >= _ENOUGH:
        return ""
    return (
        f"few labels ({relevant} relevant, {irrelevant} irrelevant): below {_ENOUGH} of each good"
        " keywords are often better; compare before you use it"
    )


def _best_border(margins: NDArray[Any], truth: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the margin that parts best by F1, halfway between two pages, precision and recall."""
    order = np.argsort(-margins, kind="stable")
    sorted_margins = margins[order]
    right = np.cumsum(truth[order])
    taken = np.arange(1, len(truth) + 1)
    best = int(np.argmax(2 * right / (taken + truth.sum())))
    following = sorted_margins[min(best + 1, len(truth) - 1)]
    border = float(sorted_margins[best] + following) / 2
    return border, float(right[best] / taken[best]), float(right[best] / truth.sum())
