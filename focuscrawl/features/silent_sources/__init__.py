"""Sources of a topic that give nothing, each with its reason: who names forty does not look at each of them.

The invariant: a source is silent until a page that it led to was read; why is noted in the commit that ends its
own page, and taken back in the commit of that page, so that a kill loses neither.
"""
