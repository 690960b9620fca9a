"""Layers put on a crawl (C6): which links of a page are followed, and whether its next page is."""

from __future__ import annotations

from focuscrawl.topic import layers
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting


def layer_of(link: Link, parent: Waiting, rules: AdmissionRules) -> int | None:
    """Return the layer a link leads to; None when it belongs to none and is not followed.

    The files of a page belong to the page, whatever their name.
    """
    if rules.layers is None or link.page_class is PageClass.FILE:
        return parent.layer
    return layers.layer_of_link(
        link.anchor, link.title, parent.layer, rules.layers, strict=rules.strict_layers
    )


def goes_on(batch: LinkBatch, parent: Waiting, rules: AdmissionRules) -> bool:
    """Whether the further pages of a page are followed: of an article always, of a list while the
    page matches its layer.
    """
    if rules.layers is None or batch.page_class in {PageClass.ARTICLE, PageClass.ARTICLE_PAGING}:
        return True
    pairs = ((link.anchor, link.title) for link in batch.links)
    return layers.goes_on(parent.layer, batch.title, pairs, rules.layers)
