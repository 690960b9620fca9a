"""Learned address patterns of sites: what a link leads to, before it is fetched (D5).

Every page that was judged is counted under the form of its address; forms of one build are divided by
the part that tells most about the class of a page, until a cluster is nearly of one class. A pattern
promises the share (right + 1) ÷ (support + 2), is used from .8 on, and dropped when less than .7 of the
links that it was used for are of its class.
"""
