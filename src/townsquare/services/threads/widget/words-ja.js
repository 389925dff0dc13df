// What the comments say in Japanese. REFUSALS are those of problem_translations.py.

export const WORDS = {
  comments: "コメント", count: (n) => `コメント ${n} 件`, sort: "並び順",
  sorts: { new: "新しい順", old: "古い順", top: "評価順", hot: "注目順", controversial: "賛否両論" },
  needText: "本文を入力してください。", needName: "お名前を入力してください。", write: "コメントを書く", answer: (name) => `${name} さんに返信`, edit: "編集", save: "保存", post: "投稿", reply: "返信", cancel: "やめる",
  preview: "プレビュー", name: "お名前", orSignIn: "またはログイン", signIn: "ログイン", signOut: "ログアウト",
  remove: "削除", sure: "このコメントを削除しますか？", keeps: "返信は残ります。", more: "その他", moreOf: (name) => `${name} さんのコメントの操作`, moreComments: "もっと見る",
  moreReplies: (n) => `返信をあと ${n} 件表示`, fresh: (n) => `新しいコメント ${n} 件`,
  up: "賛成", down: "反対", points: (n) => `${n} 点`, report: "通報", pin: "固定する", unpin: "固定を外す", pinned: "固定コメント", goTo: "コメントへ移動",
  approve: "承認", reject: "却下", ban: "投稿者を禁止", banned: "投稿者を禁止しました", days: "日数（0 は無期限）", purge: "このサイトのコメントも消す",
  pending: "承認待ち", rejected: "却下", deleted: "このコメントは削除されました", edited: "編集済み", fold: "たたむ", unfold: "ひらく",
  by: (name, when) => `${name} さんのコメント、${when}`, empty: "まだコメントがありません。最初の一言をどうぞ！", closed: "コメントの受付は終了しました。",
  posted: "投稿しました", held: "ありがとうございます。承認後に表示されます。", saved: "保存しました", removed: "削除しました", reported: "ありがとうございます。管理者が確認します。",
  fromStart: "最初から表示する", gone: "このコメントはもうありません。", loading: "コメントを読み込んでいます…", failed: "コメントを読み込めませんでした。", again: "もう一度",
  unreachable: "サーバーにつながりません。", typing: (names) => `${names} さんが入力中…`, someone: "だれか", readers: (n) => `${n} 人が閲覧中`,
  ways: { code: "メールのコード", password: "パスワード", google: "Google", github: "GitHub", anonymous: "ゲスト" }, blocked: "ウィンドウを開けませんでした。ポップアップを許可して、もう一度お試しください。", email: "メールアドレス", code: "届いた 6 桁の数字", send: "コードを送る",
  login: "メールまたはユーザー名", password: "パスワード", go: "続ける", choose: "名前を決めてください",
  why: "どこに問題がありますか？", details: "補足（任意）", done: "完了",
  reasons: { spam: "スパム", harassment: "嫌がらせ", hate_speech: "差別的な発言", misinformation: "誤った情報", other: "その他" },
  refusals: REFUSALS,
};
