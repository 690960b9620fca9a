"""What all tests share."""

from hypothesis import settings

# The machine that runs the tests is often busy: how long one example takes says nothing.
settings.register_profile("focuscrawl", deadline=None, derandomize=True)
settings.load_profile("focuscrawl")
