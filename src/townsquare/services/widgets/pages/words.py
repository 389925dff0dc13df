"""Texts of the pages, by language."""

WORDS = {
    "en": {
        "like": "Like",
        "likes": "Likes",
        "unlike": "Unlike",
        "board": "Bulletin board",
        "ranking": "Ranking",
        "rank": "Rank",
        "name": "Name",
        "score": "Score",
        "empty": "No scores yet. Will yours be the first?",
        "author": "Name",
        "message": "Message",
        "icon": "Icon",
        "none": "none",
        "post": "Post",
        "edit": "Edit",
        "save": "Save",
        "delete": "Delete",
        "edit_token": "Edit token of the message, or owner token of the board",
        "keep_token": "Posted. Keep this token, it lets you edit or delete your message:",
        "back": "Back",
        "newer": "Newer",
        "older": "Older",
        "no_messages": "No messages yet. Write the first one!",
        "problem": "That did not work",
        "themes": "Every theme",
    },
    "ja": {
        "like": "いいね",
        "likes": "いいね",
        "unlike": "取り消す",
        "board": "掲示板",
        "ranking": "ランキング",
        "rank": "順位",
        "name": "名前",
        "score": "スコア",
        "empty": "まだ記録がありません。一番乗りをどうぞ！",
        "author": "名前",
        "message": "メッセージ",
        "icon": "アイコン",
        "none": "なし",
        "post": "投稿",
        "edit": "編集",
        "save": "保存",
        "delete": "削除",
        "edit_token": "メッセージの編集トークン、または掲示板の所有者トークン",
        "keep_token": "投稿しました。このトークンであとから編集・削除できます：",
        "back": "戻る",
        "newer": "新しい",
        "older": "古い",
        "no_messages": "まだ書き込みがありません。最初の一言をどうぞ！",
        "problem": "うまくいきませんでした",
        "themes": "すべてのテーマ",
    },
}


def words_for(language: str) -> tuple[str, dict[str, str]]:
    """The language that we have, and its words."""
    known = language if language in WORDS else "en"
    return known, WORDS[known]
