"""A site program of Debian's packages: Jekyll, with its theme Minima and with layouts written here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.parts.programs.posts import Post, markdown
from benchmarks.parts.programs.tools import Tools, last_day, run_build, write

PACKAGES: Final = "jekyll jekyll-theme-minima ruby-jekyll-feed"

HOME: Final = "---\nlayout: home\n---\n"

FRAME: Final = """<!DOCTYPE html>
<html lang="{{ site.lang }}">
<head>
<meta charset="utf-8">
<title>{% if page.title %}{{ page.title | escape }} | {% endif %}{{ site.title | escape }}</title>
<link rel="stylesheet" href="/css/site.css">
<link rel="alternate" type="application/atom+xml" href="/feed.xml" title="{{ site.title | escape }}">
</head>
<body class="two-columns">
<div id="masthead">
<div class="brand"><a href="/">{{ site.title | escape }}</a></div>
<div class="claim">{{ site.description | escape }}</div>
</div>
<div id="columns">
<div id="main-column">
{{ content }}
</div>
<div id="side-column">
<div class="box">
<div class="box-title">{{ site.words.recent }}</div>
<ol class="recent">
{% for post in site.posts limit: 8 %}<li><a href="{{ post.url }}">{{ post.title | escape }}</a></li>
{% endfor %}</ol>
</div>
<div class="box">
<div class="box-title">{{ site.words.tags }}</div>
<p class="cloud">{% assign tags = site.tags | sort %}{% for tag in tags %}<span class="tag">{{ tag[0] | escape }} ({{ tag[1].size }})</span> {% endfor %}</p>
</div>
</div>
</div>
<div id="imprint"><a href="/">{{ site.words.home }}</a> · <a href="/feed.xml">Atom</a> · {{ site.title | escape }}</div>
</body>
</html>
"""

POST: Final = """---
layout: default
---
<div class="entry">
<div class="entry-body">
<div class="kicker">{{ page.tags | first | escape }}</div>
<h2 class="headline">{{ page.title | escape }}</h2>
<div class="text">
{{ content }}
</div>
</div>
<div class="entry-info">
<span class="by">{{ page.author | escape }}</span>
<span class="on">{{ page.date | date: site.minima.date_format }}</span>
{% for tag in page.tags %}<span class="tag">{{ tag | escape }}</span>
{% endfor %}</div>
<div class="neighbours">
{% if page.previous %}<a class="older" href="{{ page.previous.url }}">« {{ page.previous.title | escape }}</a>{% endif %}
{% if page.next %}<a class="newer" href="{{ page.next.url }}">{{ page.next.title | escape }} »</a>{% endif %}
</div>
</div>
"""

LIST: Final = """---
layout: default
---
<table class="overview">
{% for post in site.posts %}<tr>
<td class="when">{{ post.date | date: site.minima.date_format }}</td>
<td class="what"><a href="{{ post.url }}">{{ post.title | escape }}</a></td>
<td class="tags">{{ post.tags | join: ", " | escape }}</td>
</tr>
{% endfor %}</table>
"""

STYLE: Final = """body { margin: 0; font: 17px/1.6 Georgia, serif; color: #222; }
#masthead { background: #234; color: #fff; padding: 1em 2em; }
#masthead a { color: #fff; }
#columns { display: flex; gap: 2em; padding: 2em; }
#main-column { flex: 3; }
#side-column { flex: 1; font-size: .85em; }
.entry-info, .when, .tags, #imprint { color: #777; font-size: .85em; }
#imprint { border-top: 1px solid #ccc; padding: 1em 2em; }
"""


def build_jekyll(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build a blog with Minima, then with layouts that share no class name with it."""
    jekyll = tools.command("jekyll", PACKAGES)
    words = {
        "en": {"recent": "Recent notes", "tags": "Subjects", "home": "Front page"},
        "zh": {"recent": "最新文章", "tags": "主题", "home": "首页"},
    }
    dates = {"en": "%b %-d, %Y", "zh": "%Y-%m-%d"}
    straight = {
        "hellip": "...",
        "mdash": "---",
        "ndash": "--",
        "laquo": "<<",
        "raquo": ">>",
        "laquo_space": "<< ",
        "raquo_space": " >>",
    }
    settings: dict[str, object] = {
        "title": tools.title,
        "description": tools.about,
        "url": tools.address,
        "lang": {"en": "en", "zh": "zh-CN"}[tools.language],
        "timezone": "UTC",
        "time": last_day(posts).strftime("%Y-%m-%d %H:%M:%S +0000"),
        "future": True,
        "plugins": ["jekyll-feed"],
        "minima": {"date_format": dates[tools.language]},
        "words": words[tools.language],
        "kramdown": {
            "smart_quotes": ["apos", "apos", "quot", "quot"],
            "typographic_symbols": straight,
        },
    }
    files = {"index.md": HOME}
    if design:
        files |= {
            "_layouts/default.html": FRAME,
            "_layouts/post.html": POST,
            "_layouts/home.html": LIST,
            "css/site.css": STYLE,
        }
    else:
        settings["theme"] = "minima"
    files["_config.yml"] = json.dumps(settings, ensure_ascii=False, indent=1)
    for post in posts:
        head = {
            "layout": "post",
            "title": post.title,
            "date": f"{post.day} 08:00:00 +0000",
            "author": post.author,
            "tags": post.tags,
        }
        text = f"---\n{json.dumps(head, ensure_ascii=False, indent=1)}\n---\n\n{markdown(post)}"
        files[f"_posts/{post.day}-{post.slug}.md"] = text
    write(folder, files)
    run_build([jekyll, "build", "--quiet", "--disable-disk-cache", "-d", "site"], folder, posts)
    return folder / "site"
