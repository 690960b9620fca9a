"""Seeds from search engines: which are asked for what, and how their answers are read (C).

An answer has results, or says that there are none, or is refused, or cannot be read: only a page that
says so counts as "nothing known".

A seed waits, is walked (and was useful or not), or is skipped until the next cycle. Seed s of n has P = 1 −
(s + f) ÷ 2n, f of the earlier ones having given nothing (C5): its priority, strictly its chance.
"""
