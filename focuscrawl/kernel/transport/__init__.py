"""How a request leaves and who answers: what the kernel asks of Scrapy and Twisted stands in this folder alone."""
