"""Seeds from search engines: what is asked, how answers are read, what becomes of a cycle's URLs (C2, C5, C8).

An answer has results, or says that there are none, or is refused, or cannot be read: only a page that
says so counts as "nothing known".

States. A cycle is new, asks, and is done when every engine was asked to its end or stopped. A seed waits,
is skipped by the coin or taken, and is useful, useless or gone when the last URL it led to has ended. A
page that walks reach is new or known; one that they do not is missing, and gone or confirmed by a fetch.

Invariant. What was asked, found and walked is committed with the seeds and the ends of URLs it belongs to:
after a kill nothing is lost, and no page is fetched twice in a cycle. No page is missing before every
seed that led to it has been walked to its end.

Formula. Seed s of n, after f that were useless, is taken with P = 1 − (s + f) ÷ 2n (strict), or has it
for its priority.
"""
