"""Twelve ways in which company sites lay out the same contact data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

Fields = Mapping[str, str | list[str]]
Layout = Callable[[Fields], str]

CONTACT_LABELS = {
    "name": "公司名称",
    "address": "地址",
    "phone": "电话",
    "fax": "传真",
    "email": "邮箱",
    "zip": "邮编",
    "contact": "联系人",
    "qq": "QQ",
    "url": "网址",
}
OTHER_LABELS = {
    "name": "单位名称",
    "address": "公司地址",
    "phone": "联系电话",
    "fax": "传 真",
    "email": "E-mail",
    "zip": "邮政编码",
    "contact": "联 系 人",
    "qq": "客服QQ",
    "url": "公司主页",
}


def _lines(
    fields: Fields, labels: Mapping[str, str] = CONTACT_LABELS, join: str = "、"
) -> list[tuple[str, str]]:
    return [
        (labels[name], escape(value if isinstance(value, str) else join.join(value)))
        for name, value in fields.items()
    ]


def as_table(fields: Fields) -> str:
    """Label and value in neighbouring cells."""
    rows = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in _lines(fields))
    return f"<table class='contact'>{rows}</table>"


def as_wide_table(fields: Fields) -> str:
    """Two pairs of label and value in each row."""
    lines = _lines(fields, OTHER_LABELS)
    rows = []
    for start in range(0, len(lines), 2):
        cells = "".join(
            f"<td>{label}：</td><td>{value}</td>" for label, value in lines[start : start + 2]
        )
        rows.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(rows)}</table>"


def as_definitions(fields: Fields) -> str:
    """A definition list."""
    return (
        "<dl>"
        + "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in _lines(fields))
        + "</dl>"
    )


def as_breaks(fields: Fields) -> str:
    """One paragraph, lines separated by breaks."""
    return "<p>" + "<br>\n".join(f"{label}：{value}" for label, value in _lines(fields)) + "</p>"


def as_spaced_breaks(fields: Fields) -> str:
    """The same with spaces inside the labels and an ASCII colon."""
    lines = _lines(fields, OTHER_LABELS, " / ")
    spaced = (("　".join(label) if len(label) == 2 else label, value) for label, value in lines)
    return "<div>" + "<br/>".join(f"{label}: {value}" for label, value in spaced) + "</div>"


def as_list(fields: Fields) -> str:
    """List items with the label in bold."""
    return (
        "<ul>"
        + "".join(f"<li><b>{label}：</b>{value}</li>" for label, value in _lines(fields))
        + "</ul>"
    )


def as_spans(fields: Fields) -> str:
    """Label and value in spans of their own."""
    return "".join(
        f"<div class='row'><span class='k'>{label}</span><span class='v'>{value}</span></div>"
        for label, value in _lines(fields, OTHER_LABELS)
    )


def as_heading_and_lines(fields: Fields) -> str:
    """The name as a heading without a label, the rest as paragraphs."""
    lines = "".join(
        f"<p>{label}：{value}</p>"
        for label, value in _lines(fields)
        if label != CONTACT_LABELS["name"]
    )
    return f"<h2>{escape(str(fields['name']))}</h2>{lines}"


def as_one_line(fields: Fields) -> str:
    """Everything in one running line."""
    return "<p>" + "　".join(f"{label}：{value}" for label, value in _lines(fields)) + "</p>"


def as_columns(fields: Fields) -> str:
    """A row of labels above a row of values."""
    lines = _lines(fields)
    labels = "".join(f"<th>{label}</th>" for label, _ in lines)
    values = "".join(f"<td>{value}</td>" for _, value in lines)
    return f"<table><tr>{labels}</tr><tr>{values}</tr></table>"


def as_links(fields: Fields) -> str:
    """Values as tel: and mailto: links."""
    pieces = []
    for name, value in fields.items():
        for one in [value] if isinstance(value, str) else value:
            scheme = {"phone": "tel:", "email": "mailto:"}.get(name)
            text = f'<a href="{scheme}{escape(one)}">{escape(one)}</a>' if scheme else escape(one)
            pieces.append(f"<p><i></i>{CONTACT_LABELS[name]} {text}</p>")
    return "<section>" + "\n".join(pieces) + "</section>"


def as_brackets(fields: Fields) -> str:
    """Labels in square brackets."""
    return (
        "<div>"
        + "".join(f"<div>【{label}】{value}</div>" for label, value in _lines(fields))
        + "</div>"
    )


LAYOUTS: tuple[Layout, ...] = (
    as_table,
    as_wide_table,
    as_definitions,
    as_breaks,
    as_spaced_breaks,
    as_list,
    as_spans,
    as_heading_and_lines,
    as_one_line,
    as_columns,
    as_links,
    as_brackets,
)
"""Company number n uses layout n modulo twelve."""
