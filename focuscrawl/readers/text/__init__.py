"""Words, dates and characters of Chinese and English texts, shared by the ideas; values from texts alone.

The invariant: one text gives the same words, keywords and SimHash on every machine and by either engine
(rjieba, jieba), and ``Splitter.engine`` names whatever that depends on. A keyword weighs its share of
the text times its IDF, −log of the share of documents that have it: 50 of the language and all of the topic
(D2). A bit of the SimHash is set where words that have it weigh more than half of all (B2). A date that is not
certain is refused.
"""
