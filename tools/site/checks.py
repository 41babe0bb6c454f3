"""The built pages by themselves: every link and anchor leads somewhere, and no page asks another machine for anything."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

__all__ = ["problems"]

_TAG = re.compile(r"<(\w+)((?:\s+[\w:-]+(?:=\"[^\"]*\"|='[^']*'|=[^\s\"'>]+)?)+)\s*/?>")
_ATTRIBUTE = re.compile(r"\b(id|name|href|src|rel)=(?:\"([^\"]*)\"|'([^']*)')")
_REQUEST = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")

_FETCHED = {
    "img": "src",
    "script": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}
"""What a browser fetches when it shows a page, by element."""

_NOT_FETCHED = {"canonical", "next", "prev", "index", "search", "author", "copyright"}
"""Kinds of <link> that are only told."""


class _Read(NamedTuple):
    """The anchors of a page, its links, and what it fetches."""

    anchors: frozenset[str]
    links: tuple[str, ...]
    fetched: tuple[str, ...]


def problems(html: Path) -> list[str]:
    """What is wrong with the pages in a folder, a line each."""
    read = {path: _read(path.read_text("utf-8")) for path in sorted(html.rglob("*.html"))}
    found = []
    for path, page in read.items():
        at = path.relative_to(html).as_posix()
        found += [f"{at}: fetches {each}" for each in page.fetched if _elsewhere(each)]
        for link in (*page.links, *page.fetched):
            if not _elsewhere(link) and not _leads_somewhere(path, link, read):
                found.append(f"{at}: nothing at {link}")
    for path in sorted(html.rglob("*.css")):
        outside = _REQUEST.findall(path.read_text("utf-8"))
        found += [f"{path.relative_to(html).as_posix()}: fetches {each}" for each in outside]
    return found


def _read(text: str) -> _Read:
    anchors: set[str] = set()
    links: dict[str, None] = {}
    fetched: dict[str, None] = {}
    for tag, inside in _TAG.findall(text):
        given = {name: unescape(double or single) for name, double, single in _ATTRIBUTE.findall(inside)}
        anchors.update(given[key] for key in ("id", "name") if key in given)
        wanted = given.get(_FETCHED.get(tag, ""))
        if wanted:
            told = tag == "link" and set(given.get("rel", "").split()) & _NOT_FETCHED
            (links if told else fetched)[wanted] = None
        elif tag == "a" and "href" in given:
            links[given["href"]] = None
    return _Read(frozenset(anchors), tuple(links), tuple(fetched))


def _elsewhere(link: str) -> bool:
    parts = urlsplit(link)
    return bool(parts.netloc or parts.scheme)


def _leads_somewhere(page: Path, link: str, read: dict[Path, _Read]) -> bool:
    parts = urlsplit(link)
    target = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if target not in read:
        return target.is_file()
    anchor = unquote(parts.fragment)
    return not anchor or anchor in read[target].anchors
