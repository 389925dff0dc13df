"""Error messages in other languages, by their stable code.

The widget has its own copy; the page without JavaScript uses these. Other codes have the English message.
"""

from townsquare.problems import Problem

REFUSALS = {
    "ja": {
        "account_closed": "このアカウントは停止されています。",
        "bad_api_key": "サイトのキーが正しくありません。",
        "bad_ban_end": "禁止の終わりは、今より後の日時にしてください。",
        "bad_comment": "コメントは 1〜10,000 文字で書いてください。",
        "bad_commenter": "この名前は使えません。1〜50 文字で書いてください。",
        "bad_page": "このページにはコメントできません。",
        "bad_profile": "入力した内容をご確認ください。",
        "bad_refresh_token": "もう一度ログインしてください。",
        "bad_report_details": "補足は 1,000 文字までです。",
        "ban_changed": "ほかの管理者が先に操作しました。もう一度お試しください。",
        "banned": "このサイトには書き込めません。",
        "busy": "混み合っています。少し待ってからもう一度お試しください。",
        "cannot_ban_moderator": "先に管理者の役割を外してください。",
        "comment_not_found": "このコメントはもうありません。",
        "commenter_not_found": "この投稿者はいません。",
        "invalid": "入力した内容をご確認ください。",
        "moderators_only": "この操作はサイトの管理者だけができます。",
        "name_required": "お名前を書いてください。",
        "not_deliverable": "この宛先には送れません。",
        "not_linked": "このメールアドレスのアカウントには、先に登録した方法でログインしてください。",
        "not_your_comment": "この操作は投稿者本人だけができます。",
        "not_your_name": "名前は元のサイトで変更してください。",
        "origin_not_allowed": "このページからは使えません。サイトの設定をご確認ください。",
        "outcome_unknown": "サーバーの応答が途切れました。投稿されたかご確認ください。",
        "page_merging": "ページをまとめている途中です。少し待ってからもう一度お試しください。",
        "posting_closed": "コメントの受付は終了しました。",
        "proof_required": "確認に失敗しました。もう一度お試しください。",
        "provider_away": "ログイン先が応答しません。少し待ってからもう一度お試しください。",
        "provider_refused": "ログインを確認できませんでした。もう一度お試しください。",
        "rate_limited": "回数が多すぎます。少し待ってからもう一度お試しください。",
        "refused_as_spam": "このコメントは受け付けられませんでした。",
        "sign_in_to_comment": "書き込むには、別の方法でログインしてください。",
        "site_not_found": "このサイトはありません。",
        "store_full": "サーバーに空きがありません。後でもう一度お試しください。",
        "store_unavailable": "サーバーが混み合っています。少し待ってからもう一度お試しください。",
        "taken": "すでに使われています。",
        "too_late_to_change": "編集できる時間を過ぎました。",
        "too_many_codes": "コードの送信が多すぎます。後でもう一度お試しください。",
        "too_many_connections": "接続が多すぎます。少し待ってからもう一度お試しください。",
        "too_many_pinned": "これ以上は固定できません。",
        "unauthorized": "もう一度ログインしてください。",
        "user_not_found": "この利用者はいません。",
        "verify_first": "書き込む前に、メールアドレスを確認してください。",
        "way_not_offered": "この方法ではログインできません。",
        "wrong_code": "コードが違うか、期限が切れています。もう一度送ってください。",
        "wrong_credentials": "名前とパスワードが一致しません。",
    }
}


def translated(language: str, problem: Problem) -> str:
    """The message of a problem in this language."""
    return REFUSALS.get(language, {}).get(problem.code, problem.detail)
