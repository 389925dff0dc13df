// <ts-bbs id="example-100680ad" theme="light"></ts-bbs>
// A bulletin board: read, write, and edit what one wrote in this browser.

import { Widget, act, create, define, look, read, sheet } from "./shared.js";

export const WORDS = {
  en: {
    title: "Bulletin board", author: "Name", message: "Message", icon: "Icon", none: "none", post: "Post", edit: "Edit", save: "Save",
    cancel: "Cancel", remove: "Delete", sure: "Delete this message?", newer: "Newer", older: "Older", empty: "No messages yet. Write the first!",
    page: (page, pages) => `Page ${page} of ${pages}`, error: "Board unavailable", posted: "Posted", anonymous: "Anonymous",
  },
  ja: {
    title: "掲示板", author: "名前", message: "メッセージ", icon: "アイコン", none: "なし", post: "投稿", edit: "編集", save: "保存",
    cancel: "やめる", remove: "削除", sure: "このメッセージを削除しますか？", newer: "新しい", older: "古い", empty: "まだ書き込みがありません。最初の一言をどうぞ！",
    page: (page, pages) => `${page} / ${pages} ページ`, error: "掲示板を表示できません", posted: "投稿しました", anonymous: "名無しさん",
  },
};
const STYLE = sheet(`
:host { display: block; max-width: 40em; font: 1em/1.5 var(--face) }
section { padding: 0 1em .8em; border: var(--edge) var(--frame); border-radius: var(--corner); background: var(--back); overflow: hidden }
h2 { margin: 0 -1em .6em; padding: .25em .9em; background: var(--accent); color: var(--paper); font-size: 1.1em }
ol { margin: 0; padding: 0; list-style: none }
li { padding: .5em 0; border-top: 1px solid var(--frame) }
header { display: flex; flex-wrap: wrap; gap: 0 .7em; align-items: baseline; font-size: .9em }
header b { color: var(--accent); overflow-wrap: anywhere }
li p { margin: .1em 0; white-space: pre-wrap; overflow-wrap: anywhere }
img { width: 1.4em; height: 1.4em; object-fit: contain; vertical-align: middle }
form { display: grid; gap: .5em; margin-bottom: .8em }
.row { display: flex; flex-wrap: wrap; gap: .5em }
label { display: grid; flex: 1 1 8em; font-size: .85em }
input, textarea, select { box-sizing: border-box; width: 100%; padding: .35em .5em; border: 1px solid var(--frame); border-radius: var(--corner); background: var(--paper); color: inherit; font: inherit }
::placeholder { color: inherit; opacity: .85 }
textarea { min-height: 4.5em; resize: vertical }
button { padding: .3em 1em; border: 1px solid var(--accent); border-radius: var(--corner); background: var(--accent); color: var(--paper); font: inherit; cursor: pointer; justify-self: start }
nav button { padding: .3em .5em }
li button { padding: 0 .4em; border: 0; background: none; color: var(--accent); text-decoration: underline; font-size: .9em }
button:disabled { opacity: .5; cursor: default }
nav { display: flex; flex-wrap: wrap; gap: .3em; align-items: center; justify-content: space-between; padding-top: .6em; border-top: 1px solid var(--frame) }
output { color: var(--accent) }
output:empty { display: none }
`);

const picture = (icon) => /^https?:\/\//i.test(icon)
  ? create("img", { src: icon, alt: "", loading: "lazy", referrerpolicy: "no-referrer" })
  : create("span", { text: icon });

// Edit tokens of what was written in this browser, by message.
const tokens = {
  get: (board, id) => { try { return JSON.parse(localStorage.getItem(`ts-bbs ${board}`) || "{}")[id]; } catch { return undefined; } },
  set(board, id, token) {
    try {
      const kept = Object.entries(JSON.parse(localStorage.getItem(`ts-bbs ${board}`) || "{}")).slice(-200);
      localStorage.setItem(`ts-bbs ${board}`, JSON.stringify({ ...Object.fromEntries(kept), [id]: token }));
    } catch { /* a browser that keeps nothing cannot edit later */ }
  },
};

class Bbs extends Widget {
  static reloads = ["id", "url", "api-base", "page"];

  #board = null;
  #editing = null;
  #form = null;
  #list = create("div");
  #status = create("output", { role: "status" });

  constructor() {
    super(STYLE);
  }

  get #page() {
    return Math.max(1, parseInt(this.getAttribute("page"), 10) || 1);
  }

  async load(page = this.#page) {
    const [name, value] = this.which;
    try {
      this.#board = page === 1
        ? await read(this.base, "bbs", name, value)
        : await look(this.base, "bbs", "get", { [name]: value, page });
      this.tell("ts-read", this.#board);
    } catch {
      this.#board = null;
    }
    this.show();
  }

  show() {
    const words = this.words(WORDS);
    const board = this.#board;
    if (!board) return this.shadowRoot.replaceChildren(create("p", { role: "status", text: words.error }));
    if (!this.#form) {
      this.#form = this.#makeForm(words, {}, words.post, (given, form) => this.#post(given, form));
    }
    this.#showList(words, board);
    this.shadowRoot.replaceChildren(create("section", { "aria-label": board.title || words.title },
      create("h2", { dir: "auto", text: board.title || words.title }), this.#form, this.#status, this.#list));
  }

  #showList(words, board) {
    const items = board.messages.map((message) => this.#item(words, board, message));
    if (!items.length) items.push(create("li", { text: words.empty }));
    const { page, totalPages, hasPrev, hasNext } = board.pagination;
    const turn = (text, to, possible) => {
      const button = create("button", { type: "button", text, disabled: possible ? null : "" });
      button.addEventListener("click", () => this.load(to));
      return button;
    };
    this.#list.replaceChildren(create("ol", {}, ...items));
    if (totalPages > 1) {
      this.#list.append(create("nav", {}, turn(words.newer, page - 1, hasPrev),
        create("span", { text: words.page(page, totalPages) }), turn(words.older, page + 1, hasNext)));
    }
  }

  #item(words, board, message) {
    if (this.#editing === message.id) {
      const form = this.#makeForm(words, message, words.save, (given) => this.#edit(message, given));
      const cancel = create("button", { type: "button", text: words.cancel });
      cancel.addEventListener("click", () => this.#startEditing(null));
      form.append(cancel);
      return create("li", {}, form);
    }
    const time = new Date(message.timestamp);
    const header = create("header", {},
      ...(message.icon ? [picture(message.icon)] : []),
      create("b", { dir: "auto", text: message.author }),
      create("small", {}, create("time", { datetime: message.timestamp, text: time.toLocaleString(this.language) })),
      create("small", { text: `ID:${message.userHash.slice(0, 8)}` }),
      ...Object.entries(message.selects).map(([label, option]) => create("small", { dir: "auto", text: `${label}: ` }, picture(option))));
    if (tokens.get(board.id, message.id)) {
      for (const [text, deed] of [[words.edit, () => this.#startEditing(message.id)], [words.remove, () => this.#remove(message)]]) {
        const button = create("button", { type: "button", text });
        button.addEventListener("click", deed);
        header.append(button);
      }
    }
    return create("li", {}, header, create("p", { dir: "auto", text: message.message }));
  }

  #makeForm(words, message, verb, deed) {
    const { icons, selects } = this.#board.settings;
    const field = (text, input, name, value) => {
      input.name = name;
      if (value) input.value = value;
      return create("label", { text }, input);
    };
    const choice = (options, required) => create("select", { required: required ? "" : null }, create("option", { value: "", text: words.none }),
      ...options.map((option) => create("option", { value: option, text: option.replace(/^https?:.*\//i, "") })));
    const row = create("div", { class: "row" },
      field(words.author, create("input", { maxlength: 20, autocomplete: "nickname", placeholder: words.anonymous }), "author", message.author));
    if (icons.length) row.append(field(words.icon, choice(icons), "icon", message.icon));
    selects.forEach(({ label, options, required }, place) => row.append(field(label, choice(options, required), `select${place}`, message.selects?.[label])));
    const form = create("form", {}, row,
      field(words.message, create("textarea", { required: "", maxlength: 420 }), "message", message.message),
      create("button", { type: "submit", text: verb }));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const values = new FormData(form);
      const chosen = selects.map(({ label }, place) => [label, values.get(`select${place}`)]).filter(([, option]) => option);
      const button = form.querySelector("[type=submit]");
      button.disabled = true;
      await this.#attempt(() => deed({
        author: values.get("author"), message: values.get("message"), icon: values.get("icon") || "",
        selects: JSON.stringify(Object.fromEntries(chosen)),
      }, form));
      button.disabled = false;
    });
    return form;
  }

  async #attempt(deed) {
    this.#status.textContent = "";
    try {
      await deed();
    } catch (problem) {
      this.#status.textContent = problem.message;
      this.tell("ts-failed", problem);
    }
  }

  async #post(given, form) {
    const board = await act(this.base, "bbs", "post", { id: this.#board.id, ...given });
    tokens.set(board.id, board.messageId, board.editToken);
    form.elements.message.value = "";
    this.#board = board;
    this.show();
    this.#status.textContent = this.words(WORDS).posted;
    const { editToken, ...told } = board;
    this.tell("ts-posted", told);
  }

  async #edit(message, given) {
    const { id } = this.#board;
    await act(this.base, "bbs", "editMessage", { id, messageId: message.id, editToken: tokens.get(id, message.id), ...given });
    this.#editing = null;
    this.tell("ts-edited", { id, messageId: message.id });
    await this.load(this.#board.currentPage);
  }

  async #remove(message) {
    if (!confirm(this.words(WORDS).sure)) return;
    const { id } = this.#board;
    await this.#attempt(async () => {
      await act(this.base, "bbs", "deleteMessage", { id, messageId: message.id, editToken: tokens.get(id, message.id) });
      this.tell("ts-removed", { id, messageId: message.id });
      await this.load(this.#board.currentPage);
    });
  }

  #startEditing(id) {
    this.#editing = id;
    this.show();
    this.#list.querySelector("textarea")?.focus();
  }
}

define("bbs", Bbs);
