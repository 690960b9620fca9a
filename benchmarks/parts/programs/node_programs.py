"""Three site programs of Node.js: Hexo with two themes, Eleventy and VitePress with layouts written here.

Eleventy's first layout has the structure that its base for blogs made common; VitePress's first is its default theme.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.parts.programs import chinese, english
from benchmarks.parts.programs.posts import Post, in_time, markdown, plain
from benchmarks.parts.programs.tools import Tools, last_day, run_build, settle, write

HEXO: Final = (
    "hexo@8.1.2",
    "hexo-generator-archive@2.0.0",
    "hexo-generator-category@2.0.0",
    "hexo-generator-feed@3.0.0",
    "hexo-generator-index@4.0.0",
    "hexo-generator-tag@2.0.0",
    "hexo-renderer-ejs@2.0.0",
    "hexo-renderer-marked@7.0.1",
    "hexo-renderer-stylus@3.0.1",
    "hexo-theme-landscape@1.1.0",
    "hexo-theme-next@8.29.0",
)
ELEVENTY: Final = ("@11ty/eleventy@3.1.8", "@11ty/eleventy-plugin-rss@3.0.0")
VITEPRESS: Final = ("vitepress@1.6.4", "vue@3.5.45")

HEXO_THEMES: Final = ("landscape", "next")

WORDS: Final = {"en": english.WORDS, "zh": chinese.WORDS}

ELEVENTY_CONFIG: Final = """import { readFileSync } from "node:fs";
import { feedPlugin } from "@11ty/eleventy-plugin-rss";

const site = JSON.parse(readFileSync("_data/site.json", "utf8"));

export default function (config) {
  config.addFilter("isoDate", (day) => day.toISOString().slice(0, 10));
  config.addFilter("readableDate", (day) =>
    day.toLocaleDateString(site.lang === "zh" ? "zh-CN" : "en-GB",
      { year: "numeric", month: "long", day: "numeric", timeZone: "UTC" }));
  config.addFilter("head", (list, count) => list.slice(0, count));
  config.addFilter("newestFirst", (list) => [...list].reverse());
  config.addFilter("newest", (list) => list[list.length - 1].date);
  config.addFilter("tagPath", (tag) => tag.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, "-"));
  config.addFilter("ownTags", (tags) => (tags || []).filter((tag) => tag !== "posts"));
  config.addCollection("tagNames", (api) => {
    const names = new Set();
    for (const item of api.getFilteredByTag("posts")) item.data.tags.forEach((tag) => names.add(tag));
    names.delete("posts");
    return [...names].sort();
  });
  config.addCollection("byDay", (api) => api.getFilteredByTag("posts").sort(
    (a, b) => a.date - b.date || (a.inputPath < b.inputPath ? -1 : 1)));
  config.addPassthroughCopy("css");
  config.addPlugin(feedPlugin, {
    type: "atom",
    outputPath: "/feed/feed.xml",
    collection: { name: "byDay", limit: 10 },
    metadata: {
      language: site.lang, title: site.title, subtitle: site.about, base: site.address + "/",
      author: { name: site.author },
    },
  });
  return {
    dir: { input: "content", includes: "../_includes", data: "../_data", output: "site" },
    markdownTemplateEngine: false,
    htmlTemplateEngine: "njk",
  };
}
"""

ELEVENTY_PAGES: Final = {
    "content/blog/blog.json": '{"layout": "post.njk"}',
    "content/index.njk": """---
layout: base.njk
isHome: true
---
{% set shown = collections.byDay | newestFirst | head(5) %}
{% include "list.njk" %}
<p><a href="/blog/">{{ site.words.all }}</a></p>
""",
    "content/blog.njk": """---
layout: base.njk
permalink: /blog/
---
<h1>{{ site.words.archive }}</h1>
{% set shown = collections.byDay | newestFirst %}
{% include "list.njk" %}
""",
    "content/tags.njk": """---
layout: base.njk
permalink: /tags/
---
<h1>{{ site.words.tags }}</h1>
<ul>
{%- for name in collections.tagNames %}
<li><a href="/tags/{{ name | tagPath }}/">{{ name }}</a></li>
{%- endfor %}
</ul>
""",
    "content/tag.njk": """---
layout: base.njk
pagination: {data: collections.tagNames, size: 1, alias: name}
permalink: "/tags/{{ name | tagPath }}/"
---
<h1>{{ site.words.tagged }} “{{ name }}”</h1>
{% set shown = collections[name] | newestFirst %}
{% include "list.njk" %}
<p><a href="/tags/">{{ site.words.tags }}</a></p>
""",
}

ELEVENTY_DESIGNS: Final[tuple[dict[str, str], ...]] = (
    {
        "_includes/base.njk": """<!doctype html>
<html lang="{{ site.lang }}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <title>{{ title or site.title }}</title>
    <meta name="description" content="{{ site.about }}">
    <link rel="alternate" href="/feed/feed.xml" type="application/atom+xml" title="{{ site.title }}">
    <link rel="stylesheet" href="/css/index.css">
  </head>
  <body>
    <a href="#skip" class="visually-hidden">{{ site.words.more }}</a>
    <header>
      <a href="/" class="home-link">{{ site.title }}</a>
      <nav>
        <ul class="nav">
          <li class="nav-item"><a href="/">{{ site.words.home }}</a></li>
          <li class="nav-item"><a href="/blog/">{{ site.words.archive }}</a></li>
          <li class="nav-item"><a href="/tags/">{{ site.words.tags }}</a></li>
          <li class="nav-item"><a href="/feed/feed.xml">RSS</a></li>
        </ul>
      </nav>
    </header>
    <main id="skip">
      {%- if isHome %}
      <h1>{{ site.words.latest }}</h1>
      {%- endif %}
      {{ content | safe }}
    </main>
    <footer></footer>
  </body>
</html>
""",
        "_includes/post.njk": """---
layout: base.njk
---
<h1>{{ title }}</h1>

<ul class="post-metadata">
  <li><time datetime="{{ page.date | isoDate }}">{{ page.date | readableDate }}</time></li>
  {%- for tag in tags | ownTags %}
  <li><a href="/tags/{{ tag | tagPath }}/" class="post-tag">{{ tag }}</a>{% if not loop.last %}, {% endif %}</li>
  {%- endfor %}
</ul>

{{ content | safe }}

{%- set older = collections.byDay | getPreviousCollectionItem %}
{%- set newer = collections.byDay | getNextCollectionItem %}
{%- if older or newer %}
<ul class="links-nextprev">
  {%- if older %}<li class="links-nextprev-prev">← {{ site.words.previous }}<br> <a href="{{ older.url }}">{{ older.data.title }}</a></li>{% endif %}
  {%- if newer %}<li class="links-nextprev-next">{{ site.words.next }} →<br><a href="{{ newer.url }}">{{ newer.data.title }}</a></li>{% endif %}
</ul>
{%- endif %}
""",
        "_includes/list.njk": """<ol reversed class="postlist">
{%- for post in shown %}
  <li class="postlist-item">
    <a href="{{ post.url }}" class="postlist-link">{{ post.data.title }}</a>
    <time class="postlist-date" datetime="{{ post.date | isoDate }}">{{ post.date | readableDate }}</time>
  </li>
{%- endfor %}
</ol>
""",
        "css/index.css": "main { max-width: 40em; margin: auto; }\n.post-metadata { display: flex; gap: .5em; }\n",
    },
    {
        "_includes/base.njk": """<!doctype html>
<html lang="{{ site.lang }}" class="magazine">
<head>
<meta charset="utf-8">
<title>{% if title %}{{ title }} – {% endif %}{{ site.title }}</title>
<link rel="alternate" href="/feed/feed.xml" type="application/atom+xml" title="{{ site.title }}">
<link rel="stylesheet" href="/css/magazine.css">
</head>
<body>
<div class="page-wrap">
<div class="top-bar"><span class="logo"><a href="/">{{ site.title }}</a></span> <span class="slogan">{{ site.about }}</span></div>
<div class="grid">
<section class="center">
{{ content | safe }}
</section>
<aside class="rail">
<section class="rail-box"><h4>{{ site.words.latest }}</h4>
{%- for post in collections.byDay | newestFirst | head(6) %}
<div class="rail-row"><a href="{{ post.url }}">{{ post.data.title }}</a></div>
{%- endfor %}
</section>
<section class="rail-box"><h4>{{ site.words.tags }}</h4>
{%- for name in collections.tagNames %}
<a class="pill" href="/tags/{{ name | tagPath }}/">{{ name }}</a>
{%- endfor %}
</section>
</aside>
</div>
<div class="bottom-bar"><a href="/blog/">{{ site.words.archive }}</a> | <a href="/tags/">{{ site.words.tags }}</a> | <a href="/feed/feed.xml">Atom</a></div>
</div>
</body>
</html>
""",
        "_includes/post.njk": """---
layout: base.njk
---
<article class="story" itemscope itemtype="https://schema.org/BlogPosting">
<header class="story-head"><h2 itemprop="headline">{{ title }}</h2></header>
<div class="story-text" itemprop="articleBody">
{{ content | safe }}
</div>
<footer class="story-foot">
<p class="byline">{{ site.words.by }} <span itemprop="author">{{ author }}</span>, <time itemprop="datePublished" datetime="{{ page.date | isoDate }}">{{ page.date | readableDate }}</time></p>
<p class="pills">{% for tag in tags | ownTags %}<a class="pill" href="/tags/{{ tag | tagPath }}/">{{ tag }}</a> {% endfor %}</p>
</footer>
</article>
{%- set older = collections.byDay | getPreviousCollectionItem %}
{%- set newer = collections.byDay | getNextCollectionItem %}
<div class="pager">
{%- if newer %}<a class="pager-newer" href="{{ newer.url }}">{{ site.words.next }}</a>{% endif %}
{%- if older %} <a class="pager-older" href="{{ older.url }}">{{ site.words.previous }}</a>{% endif %}
</div>
""",
        "_includes/list.njk": """{%- for post in shown %}
<div class="teaser">
<div class="teaser-date">{{ post.date | readableDate }}</div>
<h3 class="teaser-title"><a href="{{ post.url }}">{{ post.data.title }}</a></h3>
<div class="teaser-more"><a href="{{ post.url }}">{{ site.words.more }}</a></div>
</div>
{%- endfor %}
""",
        "css/magazine.css": ".grid { display: grid; grid-template-columns: 3fr 1fr; }\n.byline { color: #666; }\n",
    },
)

VITEPRESS_CONFIG: Final = """import { readFileSync } from "node:fs";

const settings = JSON.parse(readFileSync("settings.json", "utf8"));

export default { ...settings, cacheDir: "cache", vite: { cacheDir: "cache", build: { chunkSizeWarningLimit: 9999 } } };
"""

VITEPRESS_THEME: Final = """import Layout from "./Layout.vue";

export default { Layout };
"""

VITEPRESS_LAYOUT: Final = """<script setup>
import { computed } from "vue";
import { useData, useRoute, withBase } from "vitepress";

const { site, theme, page } = useData();
const route = useRoute();
const entries = computed(() => theme.value.sidebar[0].items);
const here = computed(() => entries.value.findIndex((entry) => route.path.endsWith(entry.link)));
const newer = computed(() => (here.value > 0 ? entries.value[here.value - 1] : null));
const older = computed(() => (here.value < 0 ? null : entries.value[here.value + 1]));
</script>

<template>
  <div class="sheet">
    <header class="sheet-top">
      <strong><a :href="withBase('/')">{{ site.title }}</a></strong>
      <em>{{ site.description }}</em>
    </header>
    <div class="sheet-path" v-if="page.relativePath !== 'index.md'">
      <a :href="withBase('/')">{{ theme.sidebar[0].text }}</a> / <span>{{ page.title }}</span>
    </div>
    <section class="sheet-text"><Content /></section>
    <div class="sheet-turn" v-if="newer || older">
      <a v-if="newer" class="turn-newer" :href="newer.link">{{ newer.text }}</a>
      <a v-if="older" class="turn-older" :href="older.link">{{ older.text }}</a>
    </div>
    <footer class="sheet-end">
      <details>
        <summary>{{ theme.sidebar[0].text }}</summary>
        <p v-for="entry in entries" :key="entry.link"><a :href="entry.link">{{ entry.text }}</a></p>
      </details>
    </footer>
  </div>
</template>

<style>
.sheet { max-width: 44em; margin: auto; font-family: serif; }
.sheet-turn { display: flex; justify-content: space-between; }
</style>
"""


HEXO_TAGS: Final = """const names = require("../tags.json");

// the order of tags is that of their rows, which would be that in which files happen to be read
hexo.extend.filter.register("after_init", async () => {
  for (const name of names) await hexo.model("Tag").insert({ name });
});
"""


def build_hexo(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build a blog with Hexo's own theme, then with NexT."""
    modules = tools.node("hexo", HEXO)
    settings = {
        "title": tools.title,
        "subtitle": tools.about,
        "author": posts[0].author,
        "language": {"en": "en", "zh": "zh-CN"}[tools.language],
        "timezone": "UTC",
        "url": tools.address,
        "permalink": ":year/:month/:day/:title/",
        "public_dir": "site",
        "future": True,
        "updated_option": "date",
        "theme": HEXO_THEMES[design],
        "marked": {"smartypants": False},
        "feed": {"type": "atom", "path": "atom.xml", "limit": 20},
        "theme_config": {},
    }
    if design:
        settings["theme_config"] = {
            "menu": {"home": "/ || fa fa-home", "archives": "/archives/ || fa fa-archive"},
            "footer": {"since": min(post.day for post in posts).year},
        }
    packages = {name.rsplit("@", 1)[0]: name.rsplit("@", 1)[1] for name in HEXO}
    project = {"private": True, "hexo": {"version": packages["hexo"]}, "dependencies": packages}
    files = {
        "_config.yml": json.dumps(settings, ensure_ascii=False, indent=1),
        "package.json": json.dumps(project, indent=1),
        "tags.json": json.dumps(sorted({tag for post in posts for tag in post.tags})),
        "scripts/tags.js": HEXO_TAGS,
    }
    for post in posts:
        head = {
            "title": post.title,
            "date": f"{post.day} 08:00:00",
            "author": post.author,
            "categories": [post.tags[0]],
            "tags": post.tags,
        }
        files[f"source/_posts/{post.slug}.md"] = _front(head) + markdown(post)
    write(folder, files)
    (folder / "node_modules").symlink_to(modules.resolve())
    hexo = modules / "hexo" / "bin" / "hexo"
    run_build([tools.command("node", "nodejs"), hexo, "generate"], folder, posts)
    year = last_day(posts).year
    changes = {
        r'(?<=data-id=")cuid[^"]+': "cuid",
        r"&copy; \d{4}": f"&copy; {year}",
        r'(?<=itemprop="copyrightYear">)\d{4}': str(year),
    }
    settle(folder / "site", ".html", changes)
    return folder / "site"


def build_eleventy(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build a blog with two layouts that share no class name."""
    modules = tools.node("eleventy", ELEVENTY)
    site = {
        "lang": tools.language,
        "title": tools.title,
        "about": tools.about,
        "address": tools.address,
        "author": posts[0].author,
        "words": WORDS[tools.language],
    }
    files = {
        "package.json": '{"private": true, "type": "module"}',
        "eleventy.config.js": ELEVENTY_CONFIG,
        "_data/site.json": json.dumps(site, ensure_ascii=False),
        **ELEVENTY_PAGES,
        **ELEVENTY_DESIGNS[design],
    }
    for post in posts:
        head = {
            "title": post.title,
            "date": str(post.day),
            "author": post.author,
            "tags": ["posts", *post.tags],
        }
        files[f"content/blog/{post.slug}.md"] = _front(head) + markdown(post)
    write(folder, files)
    (folder / "node_modules").symlink_to(modules.resolve())
    eleventy = modules / "@11ty" / "eleventy" / "cmd.cjs"
    run_build([tools.command("node", "nodejs"), eleventy, "--quiet"], folder, posts)
    return folder / "site"


def build_vitepress(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build documentation with the default theme, then with a layout of its own; all posts in the sidebar."""
    modules = tools.node("vitepress", VITEPRESS)
    newest = in_time(posts)
    words = WORDS[tools.language]
    entries = [{"text": post.title, "link": f"/posts/{post.slug}.html"} for post in newest]
    settings = {
        "lang": {"en": "en-US", "zh": "zh-CN"}[tools.language],
        "title": tools.title,
        "description": tools.about,
        "outDir": "site",
        "themeConfig": {
            "nav": [{"text": words["home"], "link": "/"}],
            "sidebar": [{"text": words["all"], "items": entries}],
            "docFooter": {"prev": words["previous"], "next": words["next"]},
        },
    }
    links = [f"- [{plain(post.title)}](./posts/{post.slug}.md)" for post in newest]
    files = {
        "package.json": '{"private": true, "type": "module"}',
        "settings.json": json.dumps(settings, ensure_ascii=False),
        ".vitepress/config.mjs": VITEPRESS_CONFIG,
        "index.md": f"# {tools.title}\n\n{tools.about}\n\n" + "\n".join(links) + "\n",
    }
    if design:
        files[".vitepress/theme/index.js"] = VITEPRESS_THEME
        files[".vitepress/theme/Layout.vue"] = VITEPRESS_LAYOUT
    for post in posts:
        files[f"posts/{post.slug}.md"] = f"# {plain(post.title)}\n\n{markdown(post)}"
    write(folder, files)
    (folder / "node_modules").symlink_to(modules.resolve())
    vitepress = modules / "vitepress" / "bin" / "vitepress.js"
    run_build([tools.command("node", "nodejs"), vitepress, "build"], folder, posts)
    return folder / "site"


def _front(head: dict[str, object]) -> str:
    return f"---\n{json.dumps(head, ensure_ascii=False, indent=1)}\n---\n\n"
