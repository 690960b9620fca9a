"""Forums (A9): what boards count of their threads, and the posts of threads, without a rule for any forum.

Rows and posts are elements that repeat with one form; what stands at the same place in them means the
same. A site's selectors win where they find something.

A thread is new, being read (a Walk, from its first or its last known page on), or read, and then grows
when its board counts more replies than before. Its Walk is a fact of the crawl file, written with or
before the address of its next page, its end with the last page: a kill neither forgets a page nor takes
a count for read. What boards that were read say nothing new of needs no visit.
"""
