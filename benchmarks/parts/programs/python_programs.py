"""Six site programs of Python: Pelican, Nikola, MkDocs with two families of themes, Sphinx, and ABlog.

MkDocs and Sphinx are made for documentation: all posts stand in the navigation, and no page prints a date.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from email.utils import format_datetime
from html import escape
from pathlib import Path
from typing import Final

from benchmarks.parts.programs.posts import Language, Post, in_time, markdown, plain
from benchmarks.parts.programs.tools import Tools, last_day, run_build, settle, write

PELICAN: Final = ("pelican[markdown]==4.12.0",)
NIKOLA: Final = ("Nikola==8.3.3", "Markdown==3.11.3")
MKDOCS: Final = ("mkdocs[i18n]==1.6.1", "mkdocs-material==9.8.2", "mkdocs-terminal==4.8.0")
SPHINX: Final = (
    "Sphinx==9.0.4",
    "myst-parser==5.2.0",
    "sphinx-rtd-theme==3.1.0",
    "pydata-sphinx-theme==0.24.0",
    "ablog==0.11.13",
)

PELICAN_THEMES: Final = ("notmyidea", "simple")
NIKOLA_THEMES: Final = ("bootblog4", "base")
MKDOCS_THEMES: Final = ("mkdocs", "readthedocs")
MATERIAL_THEMES: Final = ("material", "terminal")
SPHINX_THEMES: Final = ("alabaster", "sphinx_rtd_theme")
ABLOG_THEMES: Final = ("alabaster", "pydata_sphinx_theme")

LIST_TITLES: Final[dict[Language, str]] = {"en": "All notes", "zh": "全部文章"}


def build_pelican(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build a blog with Pelican's own themes."""
    commands = tools.python("pelican", PELICAN)
    dates = {"en": "%a %d %B %Y", "zh": "%Y-%m-%d"}
    settings = {
        "AUTHOR": posts[0].author,
        "SITENAME": tools.title,
        "SITESUBTITLE": tools.about,
        "SITEURL": tools.address,
        "FEED_DOMAIN": tools.address,
        "PATH": "content",
        "TIMEZONE": "UTC",
        "DEFAULT_LANG": tools.language,
        "DEFAULT_DATE_FORMAT": dates[tools.language],
        "DEFAULT_PAGINATION": 10,
        "THEME": PELICAN_THEMES[design],
    }
    files = {"pelicanconf.py": "".join(f"{name} = {value!r}\n" for name, value in settings.items())}
    for post in posts:
        head = (
            f"Title: {escape(post.title, quote=False)}\nDate: {post.day} 08:00\nCategory: {post.tags[0]}\n"
            f"Tags: {', '.join(post.tags)}\nSlug: {post.slug}\nAuthor: {post.author}\n\n"
        )
        files[f"content/{post.slug}.md"] = head + markdown(post)
    write(folder, files)
    words = ["content", "--settings", "pelicanconf.py", "--output", "site"]
    run_build([commands / "pelican", *words], folder, posts)
    return folder / "site"


def build_nikola(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build a blog with two of the themes that Nikola brings, which share no template of a post."""
    commands = tools.python("nikola", NIKOLA)
    language = {"en": "en", "zh": "zh_cn"}[tools.language]
    settings = {
        "BLOG_AUTHOR": posts[0].author,
        "BLOG_TITLE": tools.title,
        "BLOG_DESCRIPTION": tools.about,
        "BLOG_EMAIL": f"post@{tools.host}",
        "SITE_URL": tools.address + "/",
        "DEFAULT_LANG": language,
        "TRANSLATIONS": {language: ""},
        "TIMEZONE": "UTC",
        "THEME": NIKOLA_THEMES[design],
        "POSTS": (("posts/*.md", "posts", "post.tmpl"),),
        "PAGES": (),
        "COMPILERS": {"markdown": (".md",)},
        "INDEX_TEASERS": False,
        "SHOW_SOURCELINK": False,
        "FUTURE_IS_NOW": True,
        "CONTENT_FOOTER": f"Contents © {last_day(posts).year} {tools.title}",
        "COMMENT_SYSTEM": "",
        "NAVIGATION_LINKS": {
            language: (("/archive.html", "Archive"), ("/categories/", "Tags"), ("/rss.xml", "RSS"))
        },
        "OUTPUT_FOLDER": "site",
        "CATEGORY_ALLOW_HIERARCHIES": False,
        "GZIP_FILES": False,
    }
    files = {"conf.py": "".join(f"{name} = {value!r}\n" for name, value in settings.items())}
    for post in posts:
        head = (
            f"<!--\n.. title: {post.title}\n.. slug: {post.slug}\n.. date: {post.day} 08:00:00 UTC\n"
            f".. tags: {', '.join(post.tags)}\n.. author: {post.author}\n.. type: text\n-->\n\n"
        )
        files[f"posts/{post.slug}.md"] = head + markdown(post)
    write(folder, files)
    run_build([commands / "nikola", "build", "-n", "1"], folder, posts)
    day = last_day(posts)
    settle(
        folder / "site",
        ".xml",
        {
            r"(?<=<lastmod>)[^<]+": day.strftime("%Y-%m-%dT%H:%MZ"),
            r"(?<=<lastBuildDate>)[^<]+": format_datetime(day, usegmt=True),
        },
    )
    return folder / "site"


def build_mkdocs(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build documentation with the themes that MkDocs brings."""
    locales = {"en": "en", "zh": "zh_CN"}
    theme = {"name": MKDOCS_THEMES[design], "locale": locales[tools.language]}
    return _documentation(tools, folder, posts, theme)


def build_material(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build documentation with Material for MkDocs, then with Terminal for MkDocs."""
    theme = {"name": MATERIAL_THEMES[design]}
    if theme["name"] == "material":
        theme["language"] = tools.language
    return _documentation(tools, folder, posts, theme)


def _documentation(
    tools: Tools, folder: Path, posts: Sequence[Post], theme: dict[str, str]
) -> Path:
    commands = tools.python("mkdocs", MKDOCS)
    newest = in_time(posts)
    contents: list[object] = [{LIST_TITLES[tools.language]: "index.md"}]
    contents.append({tools.title: [{post.title: f"posts/{post.slug}.md"} for post in newest]})
    settings = {
        "site_name": tools.title,
        "site_description": tools.about,
        "site_url": tools.address + "/",
        "theme": theme,
        "nav": contents,
        "site_dir": "site",
    }
    links = [f"- [{plain(post.title)}](posts/{post.slug}.md)" for post in newest]
    files = {
        "mkdocs.yml": json.dumps(settings, ensure_ascii=False, indent=1),
        "docs/index.md": f"# {tools.title}\n\n{tools.about}\n\n" + "\n".join(links) + "\n",
    }
    for post in posts:
        files[f"docs/posts/{post.slug}.md"] = f"# {plain(post.title)}\n\n{markdown(post)}"
    write(folder, files)
    run_build([commands / "mkdocs", "build", "--quiet"], folder, posts)
    return folder / "site"


def build_sphinx(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build documentation with Sphinx's first theme, then with that of Read the Docs."""
    settings: dict[str, object] = {"html_theme": SPHINX_THEMES[design]}
    if not design:
        settings["html_theme_options"] = {"description": tools.about}
    files = {
        f"posts/{post.slug}.md": f"# {plain(post.title)}\n\n{markdown(post)}" for post in posts
    }
    return _sphinx(tools, folder, posts, settings, files)


def build_ablog(tools: Tools, folder: Path, posts: Sequence[Post], design: int) -> Path:
    """Build a blog with ABlog; author, date and tags stand in the sidebar, as its manual has it."""
    panels = ["recentposts", "tagcloud", "categories", "archives"]
    sidebar = ["ablog/postcard.html", *(f"ablog/{panel}.html" for panel in panels)]
    above = [] if design else ["about.html", "searchbox.html"]
    dates = {"en": "%d %B %Y", "zh": "%Y-%m-%d"}
    settings: dict[str, object] = {
        "html_theme": ABLOG_THEMES[design],
        "html_sidebars": {"**": [*above, *sidebar]},
        "blog_title": tools.title,
        "blog_baseurl": tools.address,
        "blog_path": "blog",
        "blog_feed_fulltext": True,
        "post_date_format": dates[tools.language],
        "post_date_format_short": "%Y-%m-%d",
        "post_auto_excerpt": 1,
        "fontawesome_included": False,
    }
    files = {}
    for post in posts:
        head = (
            f"---\nblogpost: true\ndate: {post.day:%b %d, %Y}\nauthor: {post.author}\n"
            f"category: {post.tags[0]}\ntags: {', '.join(post.tags)}\n---\n\n"
        )
        files[f"posts/{post.slug}.md"] = f"{head}# {plain(post.title)}\n\n{markdown(post)}"
    site = _sphinx(tools, folder, posts, settings, files)
    # the feed's own date is the first; those of its entries are the posts'
    updated = f"\\g<1>{last_day(posts).isoformat()}"
    settle(site, "atom.xml", {r"(?s)\A(.*?<updated>)[^<]+": updated})
    return site


def _sphinx(
    tools: Tools,
    folder: Path,
    posts: Sequence[Post],
    own_settings: dict[str, object],
    files: dict[str, str],
) -> Path:
    commands = tools.python("sphinx", SPHINX)
    languages = {"en": "en", "zh": "zh_CN"}
    extensions = ["myst_parser"]
    if "blog_title" in own_settings:
        extensions.append("ablog")
    settings = {
        "project": tools.title,
        "author": posts[0].author,
        "language": languages[tools.language],
        "extensions": extensions,
        "smartquotes": False,
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_baseurl": tools.address + "/",
        "exclude_patterns": ["site", "read"],
        **own_settings,
    }
    names = "\n".join(f"posts/{post.slug}" for post in in_time(posts))
    title = LIST_TITLES[tools.language]
    files = files | {
        "conf.py": "".join(f"{name} = {value!r}\n" for name, value in settings.items()),
        "index.md": f"# {tools.title}\n\n{tools.about}\n\n```{{toctree}}\n:maxdepth: 1\n:caption: {title}\n\n{names}\n```\n",
    }
    write(folder, files)
    run_build(
        [commands / "sphinx-build", "-q", "-b", "html", "-d", "read", ".", "site"], folder, posts
    )
    return folder / "site"
