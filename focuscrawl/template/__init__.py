"""The language of templates: how tables and keys are declared, read, checked, merged and shown.

It has no key of its own. A table is a frozen dataclass (``keys.Table``) whose fields are made by
``keys.key``, and stands in the folder of what it is about. A file becomes layers of plain JSON
values by path (``check``), layers become one (``merge``), plain values become tables (``build``).
Invariant: what is stored with a run is plain JSON in the template's own notation, secrets only by
name; from it and the folder of the template everything else can be built again.
"""
