"""What the pages without JavaScript say, by language."""

WORDS = {
    "en": {
        "comments": "Comments",
        "on": "Comments on",
        "name": "Your name",
        "write": "Write a comment",
        "text": "Comment",
        "answer": "Reply to",
        "post": "Post",
        "reply": "Reply",
        "more": "Older comments",
        "more_replies": "More replies",
        "all": "All comments",
        "deleted": "This comment was deleted",
        "pinned": "Pinned",
        "edited": "edited",
        "posted": "Your comment is posted.",
        "held": "Thank you. A moderator will look at your comment first.",
        "empty": "No comments yet. Write the first one!",
        "closed": "Comments are closed.",
        "sign_in": "To write here, sign in on the page itself, which needs JavaScript.",
        "markdown": "Markdown works",
        "leave": "Leave this empty",
        "problem": "That did not work",
    },
    "ja": {
        "comments": "コメント",
        "on": "コメント:",
        "name": "お名前",
        "write": "コメントを書く",
        "text": "本文",
        "answer": "返信先:",
        "post": "投稿",
        "reply": "返信",
        "more": "次のコメント",
        "more_replies": "ほかの返信",
        "all": "すべてのコメント",
        "deleted": "このコメントは削除されました",
        "pinned": "固定コメント",
        "edited": "編集済み",
        "posted": "投稿しました。",
        "held": "ありがとうございます。承認後に表示されます。",
        "empty": "まだコメントがありません。最初の一言をどうぞ！",
        "closed": "コメントの受付は終了しました。",
        "sign_in": "書き込むには、JavaScript を使えるブラウザで元のページからログインしてください。",
        "markdown": "Markdown が使えます",
        "leave": "空のままにしてください",
        "problem": "うまくいきませんでした",
    },
}


def words_for(language: str) -> tuple[str, dict[str, str]]:
    """The language that we have, and its words."""
    known = language if language in WORDS else "en"
    return known, WORDS[known]
