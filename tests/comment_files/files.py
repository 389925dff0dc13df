"""Files as other comment systems export them, made by the rules of each from one description of comments."""

import gzip
import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape as xml

from isso.config import new as isso_config
from isso.db import SQLite3

SITE = "https://example.com"
BEGAN = 1_500_000_000  # seconds; every comment is a minute later than the one before


class Comment(NamedTuple):
    id: int
    parent: int = 0
    page: str = "/post"
    text: str = "Hello"
    name: str = "Ann"
    deleted: bool = False
    spam: bool = False
    pending: bool = False


def deep_thread(pages: Sequence[str] = ("/post",)) -> list[Comment]:
    """33 comments on each page: three threads, each ten deep."""
    return [
        Comment(
            id=page * 100 + thread * 11 + depth + 1,
            parent=page * 100 + thread * 11 + depth if depth else 0,
            page=path,
            text=f"Comment {depth} of thread {thread}",
            name=f"Author {depth % 4}",
        )
        for page, path in enumerate(pages)
        for thread in range(3)
        for depth in range(11)
    ]


def seconds(comment: Comment) -> int:
    return BEGAN + 60 * comment.id


def iso(comment: Comment) -> str:
    return datetime.fromtimestamp(seconds(comment), UTC).isoformat().replace("+00:00", "Z")


def pages_of(comments: Sequence[Comment]) -> list[str]:
    return list(dict.fromkeys(comment.page for comment in comments))


def truth(yes: bool) -> str:
    return str(yes).lower()


def disqus_thread(number: int, url: str, *, deleted: bool = False) -> str:
    return f"""
    <thread dsq:id="{number}">
        <id>{xml(url)}</id><forum>blog</forum><category dsq:id="7"/>
        <link>{xml(url)}</link><title>Title of {xml(url)}</title><message/>
        <createdAt>2011-03-07T20:46:25Z</createdAt>
        <author><name>Owner</name><isAnonymous>false</isAnonymous><username>owner</username></author>
        <isClosed>false</isClosed><isDeleted>{truth(deleted)}</isDeleted>
    </thread>"""


def disqus_post(comment: Comment, thread: int, *, created: str = "", html: str = "") -> str:
    text = html or f"<p>{escape(comment.text)}</p>"
    parent = f'<parent dsq:id="{comment.parent}"/>' if comment.parent else ""
    return f"""
    <post dsq:id="{comment.id}">
        <id>wp_id={comment.id}</id>
        <message><![CDATA[{text}]]></message>
        <createdAt>{created or iso(comment)}</createdAt>
        <isDeleted>{truth(comment.deleted)}</isDeleted><isSpam>{truth(comment.spam)}</isSpam>
        <author><name>{xml(comment.name)}</name><isAnonymous>false</isAnonymous>
            <username>{xml(comment.name.lower())}</username></author>
        <thread dsq:id="{thread}"/>{parent}
    </post>"""


def disqus_file(*elements: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<disqus xmlns="http://disqus.com" xmlns:dsq="http://disqus.com/disqus-internals">'
        '<category dsq:id="7"><forum>blog</forum><title>General</title></category>'
        f"{''.join(elements)}\n</disqus>\n"
    )


def disqus(path: Path, comments: Sequence[Comment]) -> None:
    threads = {page: 500 + number for number, page in enumerate(pages_of(comments))}
    text = disqus_file(
        *(disqus_thread(number, SITE + page) for page, number in threads.items()),
        *(disqus_post(comment, threads[comment.page]) for comment in comments),
    )
    path.write_text("`" + text)  # the stray character before the XML that such exports have had


def wordpress_comment(comment: Comment, *, kind: str = "comment", date: str = "", text: str = "") -> str:
    at = date or iso(comment).replace("T", " ").removesuffix("Z")
    approved = "spam" if comment.spam else "trash" if comment.deleted else "0" if comment.pending else "1"
    return f"""
        <wp:comment>
            <wp:comment_id>{comment.id}</wp:comment_id>
            <wp:comment_author><![CDATA[{comment.name}]]></wp:comment_author>
            <wp:comment_author_email><![CDATA[{comment.name.lower()}@example.org]]></wp:comment_author_email>
            <wp:comment_author_url>https://example.org/</wp:comment_author_url>
            <wp:comment_author_IP><![CDATA[192.0.2.1]]></wp:comment_author_IP>
            <wp:comment_date><![CDATA[{at}]]></wp:comment_date>
            <wp:comment_date_gmt><![CDATA[{at}]]></wp:comment_date_gmt>
            <wp:comment_content><![CDATA[{text or escape(comment.text)}]]></wp:comment_content>
            <wp:comment_approved><![CDATA[{approved}]]></wp:comment_approved>
            <wp:comment_type><![CDATA[{kind}]]></wp:comment_type>
            <wp:comment_parent>{comment.parent}</wp:comment_parent>
            <wp:comment_user_id>0</wp:comment_user_id>
        </wp:comment>"""


def wordpress_item(url: str, *comments: str, status: str = "publish") -> str:
    return f"""
    <item>
        <title>Title of {xml(url)}</title><link>{xml(url)}</link>
        <pubDate>Mon, 07 Mar 2011 20:46:25 +0000</pubDate><dc:creator><![CDATA[owner]]></dc:creator>
        <content:encoded><![CDATA[<p>The post itself</p>]]></content:encoded>
        <wp:post_id>12</wp:post_id><wp:post_date_gmt>2011-03-07 20:46:25</wp:post_date_gmt>
        <wp:status>{status}</wp:status><wp:post_type>post</wp:post_type>{"".join(comments)}
    </item>"""


def wordpress_file(*items: str, version: str = "1.2") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<!-- generator="WordPress/6.4" -->\n'
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
        f' xmlns:wp="http://wordpress.org/export/{version}/">\n<channel><title>Blog</title>'
        f"<wp:wxr_version>{version}</wp:wxr_version>{''.join(items)}\n</channel>\n</rss>\n"
    )


def wordpress(path: Path, comments: Sequence[Comment]) -> None:
    items = [
        wordpress_item(
            SITE + page, *(wordpress_comment(comment) for comment in comments if comment.page == page)
        )
        for page in pages_of(comments)
    ]
    path.write_bytes(b"\xef\xbb\xbf\n" + wordpress_file(*items).encode())


def isso(path: Path, comments: Sequence[Comment]) -> None:
    """By the package itself, which puts every reply below the root of its thread."""
    database = SQLite3(str(path), isso_config(None))
    ids: dict[int, int] = {}
    for comment in comments:
        if comment.page not in database.threads:
            database.threads.new(comment.page, f"Title of {comment.page}")
        row = database.comments.add(comment.page, isso_comment(comment, ids.get(comment.parent)))
        ids[comment.id] = row["id"]


def isso_comment(comment: Comment, parent: int | None) -> dict[str, Any]:
    return {
        "parent": parent,
        "created": float(seconds(comment)),
        "mode": 2 if comment.pending else 1,
        "remote_addr": "192.0.2.0",
        "text": comment.text,
        "author": comment.name,
        "email": None,
        "website": "https://example.org/",
        "notification": 0,
    }


def nested_isso(path: Path, comments: Sequence[Comment]) -> None:
    """As its databases were before version 3, when replies could be nested."""
    isso(path, [])
    database = sqlite3.connect(path)
    pages = {page: number for number, page in enumerate(pages_of(comments), 1)}
    database.executemany(
        "INSERT INTO threads VALUES (?, ?, ?)", [(id, page, None) for page, id in pages.items()]
    )
    database.executemany(
        "INSERT INTO comments (id, tid, parent, created, mode, text, author, voters)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, '')",
        [
            (c.id, pages[c.page], c.parent or None, float(seconds(c)), 4 if c.deleted else 1, c.text, c.name)
            for c in comments
        ],
    )
    database.commit()
    database.close()


def remark42_comment(comment: Comment) -> dict[str, Any]:
    return {
        "id": f"r{comment.id}",
        "pid": f"r{comment.parent}" if comment.parent else "",
        "text": f"<p>{escape(comment.text)}</p>\n",
        "orig": escape(comment.text),
        "user": {
            "name": comment.name,
            "id": f"github_{comment.name}",
            "picture": "",
            "ip": "",
            "admin": False,
        },
        "locator": {"site": "blog", "url": SITE + comment.page},
        "score": 1,
        "votes": {"github_a": True, "github_b": True, "github_c": False},
        "time": datetime.fromtimestamp(seconds(comment), UTC).isoformat() if not comment.spam else "",
        "title": f"Title of {comment.page}",
        **({"delete": True, "text": "", "orig": ""} if comment.deleted else {}),
    }


def remark42_lines(comments: Sequence[Comment]) -> list[str]:
    users = [
        {"id": "github_a", "blocked": {"status": False, "until": "0001-01-01T00:00:00Z"}, "verified": True}
    ]
    meta = {"version": 1, "users": users, "posts": [{"url": SITE + "/post", "read_only": True}]}
    return [json.dumps(line) for line in (meta, *map(remark42_comment, comments))]


def remark42(path: Path, comments: Sequence[Comment]) -> None:
    path.write_bytes(gzip.compress("\n".join(remark42_lines(comments)).encode()))


def commento_export(comments: Sequence[Comment]) -> dict[str, Any]:
    names = dict.fromkeys(comment.name for comment in comments)
    return {
        "version": 1,
        "comments": [
            {
                "commentHex": f"{comment.id:064x}",
                "domain": "example.com",
                "url": comment.page,
                "commenterHex": f"hex-of-{comment.name}",
                "markdown": comment.text,
                "html": "",
                "parentHex": f"{comment.parent:064x}" if comment.parent else "root",
                "score": -2,
                "state": "unapproved" if comment.pending else "approved",
                "creationDate": iso(comment),
                "direction": 0,
                "deleted": comment.deleted,
            }
            for comment in comments
        ],
        "commenters": [
            {
                "commenterHex": f"hex-of-{name}",
                "email": f"{name.lower()}@example.org",
                "name": name,
                "link": "undefined",
                "photo": "https://example.org/photo.png",
                "provider": "commento",
                "joinDate": "2021-03-19T19:27:25.954285Z",
                "isModerator": False,
            }
            for name in names
        ],
    }


def commento(path: Path, comments: Sequence[Comment]) -> None:
    path.write_bytes(gzip.compress(json.dumps(commento_export(comments)).encode()))


def comentario_export(comments: Sequence[Comment]) -> dict[str, Any]:
    """With the names of fields in the `swagger.yml` of Comentario 3."""
    return {
        "version": 3,
        "pages": [
            {
                "id": f"page-{page}",
                "domainId": "d",
                "path": page,
                "title": f"Title of {page}",
                "isReadonly": False,
            }
            for page in pages_of(comments)
        ],
        "comments": [
            {
                "id": f"c-{comment.id}",
                **({"parentId": f"c-{comment.parent}"} if comment.parent else {}),
                "pageId": f"page-{comment.page}",
                "markdown": comment.text,
                "html": "",
                "score": 3,
                "isSticky": False,
                "isApproved": not comment.pending,
                "isPending": comment.pending,
                "isDeleted": comment.deleted,
                "createdTime": iso(comment),
                "userCreated": f"u-{comment.name}",
            }
            for comment in comments
        ],
        "commenters": [
            {
                "id": f"u-{name}",
                "email": f"{name}@example.org",
                "name": name,
                "websiteUrl": "",
                "hasAvatar": False,
            }
            for name in dict.fromkeys(comment.name for comment in comments)
        ],
    }


def comentario(path: Path, comments: Sequence[Comment]) -> None:
    path.write_bytes(gzip.compress(json.dumps(comentario_export(comments)).encode()))


def native(path: Path, comments: Sequence[Comment]) -> None:
    pages = [
        {"kind": "page", "id": page, "url": SITE + page, "title": f"Title of {page}"}
        for page in pages_of(comments)
    ]
    found = [
        {
            "kind": "comment",
            "id": str(comment.id),
            "page_id": comment.page,
            "parent_id": str(comment.parent) if comment.parent else "",
            "author": {"name": comment.name},
            "content": comment.text,
            "created_at": seconds(comment) * 1000,
        }
        for comment in comments
    ]
    head = {"kind": "townsquare.comments", "version": 1}
    path.write_text("\n".join(json.dumps(line) for line in (head, *found, *pages)))


MAKERS: dict[str, Callable[[Path, Sequence[Comment]], None]] = {
    "disqus": disqus,
    "wordpress": wordpress,
    "isso": nested_isso,
    "remark42": remark42,
    "commento": commento,
    "comentario": comentario,
    "native": native,
}
