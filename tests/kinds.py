"""All kinds of rows, as a crawl has them."""

from focuscrawl.features import ROWS
from focuscrawl.stores.results.kind import Kinds

KINDS = Kinds.load(ROWS)
