"""When to look at a page again, what counts as a change, and when a page is gone (method B).

A page waits for its date, is reserved (queued, until its answer or the reservation's end), failing, or gone; no
page is ever planned out of reach, so that none is lost with a worker. Of each page two numbers are kept,
t (time observed) and x (changes seen). By default its rate of change is Gamma(x, t + first interval), a
visit at age s is worth

    V(s) = s − A(s),  the expected time for which the copy has been out of date,

and the next visit is due when that is worth the price ν, one for the topic, which follows the worst page
that a budget allows. The published form is t ÷ x.
"""
