"""The links of a page on their way to the frontier: told apart, admitted, and what pages teach of them.

Each link is added, a continuation, a duplicate, or refused with a reason; these four counts are all of
them. Per link nothing but one compiled loop runs: most are known, and end at one look into a set.
"""
