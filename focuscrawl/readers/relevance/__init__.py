"""How much a page or a link belongs to the topic, 0 … 1, by words or by a trained judge.

A page is relevant when its score reaches the threshold, and only then: what the template requires and
excludes moves the score to the right side of it. A group of weight w found m times is evidence w · m / (m +
1.2), all evidence e of a page scores e / (e + 1), of a link e / (e + 0.5), and half of a link's score is that
of its page. Nothing is remembered but the words and the weights a judge was trained to.
"""
