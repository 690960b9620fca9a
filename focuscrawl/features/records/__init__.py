"""What pages hold besides text: fields by their labels, as blocks, pages or whole sites (C7).

A page becomes lines, a line segments at its labels, a segment entries (field, value, place); entries
grow into groups from the deepest common element up, while no two contradict each other. Strictly, as
published: the weight of a tag is how many fields have a label under it, the heaviest innermost is the block.
"""
