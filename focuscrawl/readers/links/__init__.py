"""May this link be followed: scope, patterns, layers, traps, and which addresses are one page.

A link of a page is refused for a reason, known to the frontier already, or added. It is looked at once
(``AdmissionRules.look``, whatever page links to it), chosen by what its page says of it, placed (level, depth,
class: A3), and expected to be what the patterns of its site say (D5). Admission is one loop in which a
link calls nothing that a page could be asked once. What is refused is counted by its reason.
"""
