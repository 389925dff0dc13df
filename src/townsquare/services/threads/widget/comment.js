// One comment with its replies.

import { action, ago, avatar, button, create, fill } from "./dom.js";
import { ask, ban, report } from "./dialogs.js";
import { editor } from "./editor.js";

const nameOf = (control) => control.ariaLabel || control.textContent;
export const addressOf = (id) => `${location.href.split("#")[0]}#comment-${id}`;

export class CommentView {
  #head = create("header");
  #text = create("div", { class: "text", dir: "auto" });
  #actions = create("div", { class: "actions" });
  #slot = create("div"); // for the form of a reply
  #list = create("ol", { role: "list" });
  #more = this.#action("", () => this.loadMore(), { class: "link more" });

  constructor(host, comment) {
    this.host = host;
    this.id = comment.id;
    this.comment = comment;
    this.article = create("article", { tabindex: "-1" }, create("i"), this.#head, this.#text, this.#actions, this.#slot);
    this.item = create("li", {}, this.article, this.#list, this.#more);
    this.replies = [];
    host.views.set(this.id, this);
    this.update({});
    this.addReplies(comment.replies);
  }

  get isOwn() {
    return Boolean(this.host.user) && this.comment.author?.id === this.host.user.id;
  }

  get isOpen() {
    return ["reply", "edit"].some((kind) => this.#draft(kind));
  }

  get name() {
    return this.comment.author?.name ?? "";
  }

  #draft(kind) {
    return this.host.drafts.get(kind + this.id);
  }

  update({ replies, replies_next, ...changes }) {
    Object.assign(this.comment, changes);
    const { host, comment } = this;
    const { words } = host;
    const isGone = !comment.author;
    const focused = host.shadowRoot.activeElement;
    const inside = this.article.contains(focused);
    const when = ago(comment.created_at, host.language);
    this.article.setAttribute("aria-label", isGone ? words.deleted : words.by(this.name, when));
    this.item.className = isGone ? "gone" : comment.status;
    const fold = button("", () => this.#fold(fold), { class: "fold", "aria-expanded": "true", "aria-label": words.fold });
    this.#head.replaceChildren(...[
      !isGone && create("b", { text: this.name, dir: "auto" }),
      create("a", { href: addressOf(this.id), class: "when", onclick: () => setTimeout(() => host.follow()) },
        create("time", { datetime: comment.created_at, title: new Date(comment.created_at).toLocaleString(host.language), text: when })),
      comment.edited && !isGone && create("span", { text: words.edited }),
      comment.pinned_at && create("mark", { text: words.pinned }),
      words[comment.status] && !isGone && create("mark", { text: words[comment.status], class: comment.status }),
      fold,
    ].filter(Boolean));
    this.#drawText();
    this.#drawActions();
    this.article.firstChild.replaceWith(avatar(comment.author));
    const reply = this.#draft("reply");
    if (reply && !this.#slot.contains(reply)) this.#slot.append(reply);
    this.#drawMore();
    if (inside && !focused.isConnected) {
      const same = [...this.article.querySelectorAll("a, button, summary")].find((one) => nameOf(one) === nameOf(focused));
      (same || this.article).focus({ preventScroll: true });
    }
  }

  #drawText() {
    const form = this.#draft("edit");
    if (form) this.#text.contains(form) || this.#text.replaceChildren(form);
    else if (this.comment.author) fill(this.#text, this.comment.content_html);
    else this.#text.textContent = this.host.words.deleted;
  }

  #fold(fold) {
    const { words } = this.host;
    const isFolded = this.item.classList.toggle("folded");
    fold.setAttribute("aria-expanded", !isFolded);
    fold.setAttribute("aria-label", isFolded ? words.unfold : words.fold);
  }

  #drawActions() {
    const { host, comment } = this;
    const { words } = host;
    if (!comment.author) return this.#actions.replaceChildren();
    const vote = (direction, sign) => this.#action(sign, () => this.#vote(direction), {
      class: "vote", "aria-pressed": String(comment.my_vote === direction), "aria-label": words[direction], title: words[direction],
    });
    const points = comment.upvotes - comment.downvotes;
    const isShown = comment.status === "approved";
    const isJudged = host.moderates && comment.status === "pending";
    this.#actions.replaceChildren(...[
      isShown && create("span", { class: "votes", role: "group", "aria-label": words.points(points) },
        vote("up", "▲"), host.session.site.vote_counts && create("span", { class: "points", text: points }), vote("down", "▼")),
      isShown && host.isOpen && button(words.reply, () => this.openReply(), { class: "link reply" }),
      isJudged && this.#action(words.approve, () => this.judge("approve")),
      isJudged && this.#action(words.reject, () => this.judge("reject")),
      this.#menu(),
    ].filter(Boolean));
  }

  #action(text, work, attributes = { class: "link" }) {
    return action(text, work, (message) => this.host.say(message, true), attributes);
  }

  // What is in it is decided when it is opened: a comment may be edited for a while only.
  #menu() {
    const { host, comment } = this;
    const { words, user } = host;
    const items = create("div", { class: "items" });
    const summary = create("summary", {
      text: "⋯", "aria-label": words.moreOf(this.name), title: words.more,
      onclick: () => {
        addEventListener("pointerdown", (event) => { if (!event.composedPath().includes(menu)) menu.open = false; }, { once: true });
        const own = this.isOwn;
        const mayEdit = own && Date.now() - Date.parse(comment.created_at) < host.session.site.edit_minutes * 60_000;
        const entry = (isThere, text, work) => isThere && this.#action(text, async () => { menu.open = false; summary.focus(); await work(); });
        items.replaceChildren(...[
          entry(mayEdit || host.moderates, words.edit, () => this.edit(!own)),
          entry(own || host.moderates, words.remove, () => this.remove(!own)),
          entry(host.moderates && comment.status === "approved", comment.pinned_at ? words.unpin : words.pin, () => this.pin()),
          entry(host.moderates && comment.status === "approved", words.reject, () => this.judge("reject")),
          entry(host.moderates && comment.status === "rejected", words.approve, () => this.judge("approve")),
          entry(host.moderates && !own, words.ban, () => this.ban()),
          entry(!own && (user || host.methods.length), words.report, () => this.report()),
        ].filter(Boolean));
      },
    });
    const menu = create("details", {
      class: "menu",
      onkeydown: (event) => {
        if (event.key !== "Escape" || !menu.open) return;
        event.stopPropagation();
        menu.open = false;
        summary.focus();
      },
      onfocusout: (event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false; },
    }, summary, items);
    return (user || host.methods.length) && menu;
  }

  async #vote(direction) {
    if (!this.host.user && !(await this.host.signIn())) return;
    const votes = await this.host.client.ask("POST", `/comments/${this.id}/vote`, { direction });
    this.host.views.get(this.id)?.showVotes(votes); // signing in has drawn everything anew
  }

  // In place, so that the button keeps the focus.
  showVotes(votes) {
    const { comment } = this;
    Object.assign(comment, votes);
    const [up, down] = this.#actions.querySelectorAll(".vote");
    if (!up) return;
    up.setAttribute("aria-pressed", comment.my_vote === "up");
    down.setAttribute("aria-pressed", comment.my_vote === "down");
    const points = this.#actions.querySelector(".points");
    if (points) points.textContent = comment.upvotes - comment.downvotes;
    up.parentNode.setAttribute("aria-label", this.host.words.points(comment.upvotes - comment.downvotes));
  }

  // A form outlives its view: another order, or another part of the thread, draws the comment anew.
  #write(kind, given, send) {
    const { host, id } = this;
    const close = (changes = {}) => {
      host.drafts.delete(kind + id);
      form.remove();
      const view = host.views.get(id);
      view?.update(changes);
      view?.focusAfter(kind);
    };
    const form = this.#draft(kind) || editor(host, { ...given, cancel: () => close(), send: (written) => send(written, close) });
    host.drafts.set(kind + id, form);
    this.update({});
    form.focusText();
  }

  focusAfter(kind) {
    (this.#actions.querySelector(kind === "edit" ? "summary" : ".reply") || this.article).focus();
  }

  openReply() {
    const { host, id } = this;
    this.#write("reply", { label: host.words.answer(this.name), action: host.words.reply }, async (given, close) => {
      const made = await host.post(given, id);
      close();
      host.show(made.id);
    });
  }

  edit(as_moderator) {
    const { host, id } = this;
    this.#write("edit", { label: host.words.edit, action: host.words.save, text: this.comment.content }, async ({ content }, close) => {
      close(await host.client.ask("PATCH", `/comments/${id}`, { content, as_moderator }));
      host.say(host.words.saved);
    });
  }

  async remove(as_moderator) {
    const { host, comment } = this;
    const { words } = host;
    const told = comment.reply_count ? [create("p", { text: words.keeps })] : [];
    const done = await ask(host, words.sure, told, words.remove, () => host.client.ask("DELETE", `/comments/${this.id}`, { as_moderator }), true);
    if (!done) return;
    host.remove(this.id, true);
    host.say(words.removed);
  }

  async pin() {
    const { pinned_at } = await this.host.client.ask("POST", `/comments/${this.id}/pin`, { pinned: !this.comment.pinned_at });
    this.update({ pinned_at });
    this.host.say(this.host.words.done);
  }

  async judge(verdict) {
    await this.host.client.ask("POST", `/moderation/${verdict}/${this.id}`);
    if (this.host.views.has(this.id)) this.host.count((verdict === "approve") - (this.comment.status === "approved"));
    this.update({ status: verdict === "approve" ? "approved" : "rejected" });
    this.host.say(this.host.words.done);
  }

  async ban() {
    const { host, comment } = this;
    const done = await ban(host, ({ days, purge }) =>
      host.client.ask("POST", `/moderation/ban/${comment.author.id}`, { ...(Number(days) ? { days: Number(days) } : {}), remove_comments: Boolean(purge) }));
    if (done) host.say(host.words.banned);
  }

  async report() {
    const { host } = this;
    if (!host.user && !(await host.signIn())) return;
    const done = await report(host, ({ reason, details }) => host.client.ask("POST", `/comments/${this.id}/report`, { reason, details: details || null }));
    if (done) host.say(host.words.reported, true);
  }

  // Replies stand in the order of time, wherever they came from.
  addReplies(comments) {
    for (const comment of comments) {
      const known = this.host.views.get(comment.id);
      if (known) known.addReplies(comment.replies);
      else this.replies.push(new CommentView(this.host, comment));
    }
    const way = this.host.newestFirst ? -1 : 1;
    const ordered = [...this.replies].sort((one, other) => way * (Date.parse(one.comment.created_at) - Date.parse(other.comment.created_at)));
    if (ordered.some((one, place) => this.#list.children[place] !== one.item)) this.#list.replaceChildren(...ordered.map((one) => one.item));
    this.#list.hidden = !ordered.length;
    this.#drawMore();
  }

  dropReply(view) {
    this.replies = this.replies.filter((one) => one !== view);
    view.item.remove();
    this.#list.hidden = !this.replies.length;
  }

  #drawMore() {
    const missing = this.comment.reply_count - this.replies.length;
    this.#more.hidden = this.comment.replies_next == null || missing < 1;
    this.#more.textContent = this.host.words.moreReplies(missing);
  }

  async loadMore() {
    const { comment, host } = this;
    const before = new Set(this.replies);
    const part = await host.client.ask("GET", `/comments/${this.id}/replies`, { sort: host.newestFirst ? "new" : "old", cursor: comment.replies_next || null });
    comment.replies_next = part.next;
    this.addReplies(part.comments);
    this.replies.find((one) => !before.has(one))?.article.focus({ preventScroll: true });
  }
}
