"""How far to go through irrelevant pages: sparse tunnelling (method E).

A page's step is 0 when it is relevant, else one more than that of the page it was found on
(``explorer.step_of``). URLs that lead into the unknown wait by folder of their site. Each pick follows one
of four orders: best folder with near ones preferred, best link, best folder, best site. The first leads until
another has clearly paid more; one pick in twenty is drawn among all. A folder is worth

    0.7 · (relevant + 0.3) ÷ (pages + 1)  +  0.3 · score of its best link  +  0.3 ÷ √(pages + 1)

A URL is offered, behind its site's quota, parked (beyond so many steps), or blocked (its folder or
site is banned). Only what a person has banned is ever dropped; the rest comes back when the crawl runs
dry, its harvest falls, a probe finds something or the ban ends. ``strict`` is the published form,
which drops.
"""
