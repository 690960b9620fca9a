"""File name endings of what is no page: a crawler that reads text does not ask for these."""

from __future__ import annotations

NO_PAGES = frozenset({
    # pictures
    "jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "ico", "svg", "svgz", "webp", "avif",
    "heic", "tif", "tiff", "psd", "eps", "dxf", "dwg", "cdr",
    # sound and film
    "mp3", "m4a", "wav", "flac", "ape", "ogg", "oga", "opus", "wma", "aac", "amr", "mid",
    "midi", "mp4", "m4v", "m4s", "avi", "mov", "mkv", "webm", "wmv", "flv", "f4v", "mpg",
    "mpeg", "3gp", "rmvb", "rm", "asf", "vob", "ts", "m3u8", "swf",
    # archives and programs
    "zip", "rar", "7z", "gz", "tgz", "bz2", "xz", "tar", "zst", "lz", "jar", "war", "iso",
    "img", "dmg", "exe", "msi", "apk", "xapk", "ipa", "deb", "rpm", "cab", "bin", "dll",
    "torrent",
    # office documents, books and prints
    "pdf", "doc", "docx", "docm", "dotx", "xls", "xlsx", "xlsm", "xlsb", "xlt", "ppt", "pptx",
    "pptm", "pps", "ppsx", "odt", "ods", "odp", "odg", "rtf", "wps", "dps", "csv", "epub",
    "mobi", "azw3", "djvu", "caj", "ofd",
    # parts of pages
    "css", "js", "mjs", "woff", "woff2", "ttf", "otf", "eot", "wasm",
})  # fmt: skip


def suffix_of(url: str) -> str:
    """Return the file name ending of a canonical address, lower case without dot; "" for none."""
    path = url[: url.index("?")] if "?" in url else url
    dot = path.rfind(".", path.rfind("/"))
    return path[dot + 1 :].lower() if dot > 0 else ""
