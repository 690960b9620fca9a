"""The tests, as a package: scrapinghub-entrypoint-scrapy installs one of the same name, which would stand before ours."""
