"""For scrapyd-deploy and shub, which run it; everything stands in pyproject.toml."""

from setuptools import setup

setup()
