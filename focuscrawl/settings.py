"""Scrapy settings of the project: switches focuscrawl's parts on, computes nothing.

Why each differs from Scrapy's default stands in docs/settings.md. A template sets more
(focuscrawl.spiders.settings); -s on the command line beats both.
"""

BOT_NAME = "focuscrawl"
SPIDER_MODULES: list[str] = []  # the spider loader knows ours
NEWSPIDER_MODULE = "focuscrawl.spiders"
COMMANDS_MODULE = "focuscrawl.commands"
SPIDER_LOADER_CLASS = "focuscrawl.spiders.loader.TopicLoader"

FOCUSCRAWL_TOPICS = ["topics"]

SCHEDULER = "focuscrawl.scheduler.Scheduler"
DOWNLOADER_MIDDLEWARES = {
    "focuscrawl.middlewares.OutcomeMiddleware": 50,
    "focuscrawl.hosts.SchemeMiddleware": 51,
    "focuscrawl.middlewares.VisitMiddleware": 52,
    "focuscrawl.middlewares.BanMiddleware": 55,
    "focuscrawl.middlewares.QuotaMiddleware": 60,
    "focuscrawl.middlewares.ConditionMiddleware": 530,
    "focuscrawl.hosts.RobotsMiddleware": 535,
    "focuscrawl.bodies.EncodingMiddleware": 540,
    "focuscrawl.middlewares.RetryAfterMiddleware": 560,
    "focuscrawl.bodies.UnpackingMiddleware": 590,
    "focuscrawl.bodies.BodyMiddleware": 595,
    "focuscrawl.hosts.AnswerMiddleware": 605,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,  # ours, at 590
    # Links are checked against the template's scope in batches, redirects when they are queued.
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
}
SPIDER_MIDDLEWARES = {
    "focuscrawl.middlewares.LinkBatchMiddleware": 10000,
}
ITEM_PIPELINES = {
    "focuscrawl.pipelines.VisitPipeline": 880,
    "focuscrawl.pipelines.StoryPipeline": 890,
    "focuscrawl.pipelines.StorePipeline": 900,
}
EXTENSIONS = {
    "focuscrawl.extensions.RunClock": 100,
    "focuscrawl.middlewares.CrawlDelay": 110,
    "focuscrawl.extensions.Metrics": 120,  # by FOCUSCRAWL_PROMETHEUS alone
}
FEED_EXPORTERS = {
    "csv": "focuscrawl.output.feeds.CsvExporter",
    "json": "focuscrawl.output.feeds.JsonExporter",
    "jsonl": "focuscrawl.output.feeds.JsonLinesExporter",
    "jsonlines": "focuscrawl.output.feeds.JsonLinesExporter",
    "jl": "focuscrawl.output.feeds.JsonLinesExporter",
    "xml": "focuscrawl.output.feeds.XmlExporter",
}
FEED_EXPORT_ENCODING = "utf-8"
FEED_URI_PARAMS = "focuscrawl.output.feeds.uri_params"

# One page gives one LinkBatch and at most one article: more workers a page only cost time.
CONCURRENT_ITEMS = 1
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 2
DOWNLOAD_MAXSIZE = 8_000_000
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_FAIL_ON_DATALOSS = False  # what came is kept and marked, after the retries
ROBOTSTXT_OBEY = True
METAREFRESH_ENABLED = False  # a refresh is one of the links of a page
RETRY_TIMES = 3
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
}
COOKIES_ENABLED = True

# Both open a port that runs what it is sent.
REMOTE_CONTROL_ENABLED = False
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"
