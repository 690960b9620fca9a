"""What a site shows again and again around the texts of its articles, as its pages teach it.

Each reader looks at one page. A crawl has the others: a line that stands at one place beside the text of many pages, and
says there what it said on others, is of the site and not of the article. It is cut from the ends of a text, never from
between its sentences; articles that were read before that was known are corrected. A layout is a structure of pages, so
that a new design is learnt anew.
"""
