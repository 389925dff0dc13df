// <ts-comments site="tsq_pub_…" url="https://blog.example.org/hello"></ts-comments>
// Comments of a page: read, written, voted on. Attributes: site (the public key), url or page-key (the page, else the
// address of the host page), sort, lang, theme (light, dark, else as the page), token (of the site's own user).

import { action, button, create, fill } from "./dom.js";
import { Client, HOME, samples } from "./client.js";
import { addressOf, CommentView } from "./comment.js";
import { signIn } from "./dialogs.js";
import { editor } from "./editor.js";
import { Live } from "./live.js";
import { CSS_TEXT } from "./style.css";
import { ENGLISH, wordsIn } from "./words.js";

const STYLE = new CSSStyleSheet();
STYLE.replaceSync(CSS_TEXT);
const LINK = /^#comment-([0-9a-f-]{36})$/;
const PART = 20; // comments per request
const QUIET_MS = 14 * 24 * 3600_000; // a page without a comment for so long has no socket

const DARK = matchMedia("(prefers-color-scheme: dark)");

// Whether the first background behind an element is dark.
function isDark(element) {
  const paint = new OffscreenCanvas(1, 1).getContext("2d");
  for (; element; element = element.parentElement) {
    paint.fillStyle = getComputedStyle(element).backgroundColor;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    if (alpha > 127) return 3 * red + 6 * green + blue < 1280;
  }
  return false;
}

class Comments extends HTMLElement {
  static samples = samples;
  static observedAttributes = ["site", "url", "page-key", "sort", "lang", "token", "api-base"];

  views = new Map(); // by id
  words = ENGLISH;
  drafts = new Map(); // forms of replies and edits that are not sent, by "reply" or "edit" and the comment
  session = { site: { sign_in: [] }, user: null };
  dialog = create("dialog", { "aria-labelledby": "asked" });
  #roots = [];
  #thread = null;
  #token = null;
  #readAt = 0; // newer comments were not in the thread when it was read
  #since = 0; // when the comments were shown
  #turn = 0; // the number of the current load; responses to earlier loads are ignored
  #waiting = new Map(); // new comments behind the bar
  #live = null;
  #editor = null;
  #scheme = new CSSStyleSheet();
  #pageChanges = new MutationObserver(() => this.#followScheme());
  #status = create("p", { class: "unseen", role: "status" });
  #notice = create("p", { class: "notice", role: "alert" });
  #title = create("h2");
  #who = create("span", { class: "row" });
  #present = create("span");
  #quiet = 0; // time until which the typing notice is shown
  #chosen = null; // the sort order that the reader chose
  #link = null; // the comment whose part of the thread is shown
  #sort = create("select", { onchange: () => { this.#chosen = this.#sort.value; this.load(null); } });
  #form = create("div");
  #bar = create("div", { class: "bar", hidden: true });
  #start = this.#action(() => this.#leaveLink(), { class: "link more", hidden: true });
  #pinned = create("section", { class: "pinned", hidden: true });
  #list = create("ol", { role: "list" });
  #apart = create("div", { class: "apart" }); // drafts whose comment is not shown
  #more = this.#action(() => this.#loadMore(), { hidden: true });
  #foot = create("div", { class: "center" });
  #typing = create("p", { class: "notice" });

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [STYLE, this.#scheme];
  }

  connectedCallback() {
    addEventListener("hashchange", this.follow);
    addEventListener("storage", this.#otherTab);
    for (const root of [document.documentElement, document.body]) this.#pageChanges.observe(root, { attributes: true });
    DARK.addEventListener("change", this.#followScheme);
    this.#followScheme();
    this.load();
  }

  disconnectedCallback() {
    removeEventListener("hashchange", this.follow);
    removeEventListener("storage", this.#otherTab);
    this.#pageChanges.disconnect();
    DARK.removeEventListener("change", this.#followScheme);
    this.#live?.stop();
    this.#live = null;
  }

  attributeChangedCallback(name, before, after) {
    if (name === "token") this.#token = after;
    if (name === "lang") this.shadowRoot.replaceChildren(); // all texts change
    if (this.client && before !== after) this.load();
  }

  // The token of the site's own user. A property does not appear in the HTML.
  get token() {
    return this.#token;
  }

  set token(token) {
    this.#token = token || null;
    if (this.client) this.load();
  }

  get language() {
    try {
      return Intl.getCanonicalLocales(this.closest("[lang]")?.lang || navigator.language)[0];
    } catch {
      return "en"; // pages write en_US and the like
    }
  }

  get user() {
    return this.session.user;
  }

  get moderates() {
    return ["admin", "moderator"].includes(this.user?.role);
  }

  // The sign-in methods to offer; with single sign-on the host page has its own.
  get methods() {
    return this.#token ? [] : this.session.site.sign_in;
  }

  get isOpen() {
    return this.moderates || !(this.#thread?.closed || this.session.site.posting_disabled);
  }

  get newestFirst() {
    return this.#thread?.sort === "new";
  }

  get page() {
    const key = this.getAttribute("page-key");
    return { page_url: this.getAttribute("url") || location.href.split("#")[0], ...(key ? { page_key: key } : {}) };
  }

  // A page that declares no color-scheme is dark if its background is.
  #followScheme = () => {
    this.#scheme.replaceSync("");
    const { colorScheme } = getComputedStyle(this);
    if (colorScheme === "normal" && isDark(this.parentElement)) this.#scheme.replaceSync(":host{color-scheme:dark}");
  };

  #otherTab = ({ key }) => {
    if (key !== this.client?.key || (this.client.kept.user_id || null) === (this.user?.id || null)) return;
    this.client.held.access = null;
    this.refresh().catch(() => {});
  };

  #action(work, attributes) {
    return action("", work, (message) => this.say(message, true), attributes);
  }

  say(text, seen = false) {
    this.#status.textContent = seen ? "" : text;
    this.#notice.textContent = seen ? text : "";
  }

  isTyping() {
    if (this.session.site.typing) this.#live?.typing();
  }

  signIn() {
    const { own, base } = this.client;
    if (!own) return signIn(this);
    location.assign(`${base}/accounts/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
    return false;
  }

  // Load the session, and the part of the thread that the URL names.
  async load(link = LINK.exec(location.hash)?.[1]) {
    const turn = ++this.#turn;
    const isPast = () => turn !== this.#turn;
    this.client = new Client(this, this.getAttribute("api-base") || HOME, this.getAttribute("site") || "");
    this.client.sso = this.#token;
    const asked = Promise.all([this.client.ask("GET", "/session"), this.#read(link)]);
    asked.catch(() => {}); // reported below
    const words = await wordsIn(this.language.slice(0, 2));
    if (isPast()) return;
    this.words = words;
    if (!this.#thread) this.#showLoading();
    try {
      const [session, [thread, found]] = await asked;
      if (isPast()) return;
      this.session = session;
      this.#link = found?.cursor ? link : null;
      this.#show(thread);
      if (found) this.show(link);
      else if (link && thread.total) this.say(this.words.gone, true);
    } catch (problem) {
      if (!isPast()) this.#showFailure(problem);
    }
  }

  // The part of the thread with the linked comment, or the first part.
  async #read(link) {
    const sort = this.#chosen || this.getAttribute("sort");
    const part = (cursor) => this.client.ask("GET", "/comments", { ...this.page, sort, limit: PART, cursor });
    if (!link) return [await part(null), null];
    let found = null;
    try {
      found = await this.client.ask("GET", `/comments/${link}`, { sort });
    } catch (problem) {
      if (problem.status !== 404) throw problem;
    }
    const thread = await part(found?.cursor);
    if (!found) return [thread, null];
    if (found.comment.page_id !== thread.page_id) return [found.cursor ? await part(null) : thread, null];
    graft(thread.comments, [...found.ancestors, found.comment]);
    return [thread, found];
  }

  #showLoading() {
    this.shadowRoot.replaceChildren(create("div", { class: "center", role: "status", text: this.words.loading }));
  }

  #showFailure(problem) {
    const again = button(this.words.again, () => this.load());
    if (this.#thread) return this.say(problem.message, true);
    this.shadowRoot.replaceChildren(create("div", { class: "center" },
      create("p", { role: "alert" }, this.words.failed, create("br"), create("small", { text: problem.message })), again));
  }

  #show(thread) {
    const { words } = this;
    const isFirst = !this.#thread;
    if (this.#thread?.page_id !== thread.page_id) this.drafts.clear();
    this.#thread = thread;
    this.#since ||= Date.now();
    this.views.clear();
    this.#waiting.clear();
    this.#roots = thread.comments.map((comment) => new CommentView(this, comment));
    this.#list.replaceChildren(...this.#roots.map((root) => root.item));
    this.#apart.replaceChildren(...[...this.drafts].filter(([key]) => !this.views.has(key.slice(-36))).map(([, form]) => form));
    if (isFirst) this.client.ask("POST", "/pageviews", this.page).catch(() => {});
    if (isFirst || !this.#list.isConnected) this.#build();
    this.#sort.value = thread.sort;
    this.#start.textContent = words.fromStart;
    this.#start.hidden = !this.#link;
    this.#more.textContent = words.moreComments;
    this.#drawPinned();
    this.#drawSession();
    this.#drawCounts();
    this.#listen();
  }

  #build() {
    const { words } = this;
    this.#editor = editor(this, {
      label: words.write, action: words.post,
      send: async (given) => this.show((await this.post(given)).id),
    });
    this.#form.replaceChildren(this.#editor);
    this.#sort.replaceChildren(...Object.entries(words.sorts).map(([value, text]) => create("option", { value, text })));
    this.#sort.setAttribute("aria-label", words.sort);
    this.#list.setAttribute("aria-label", words.comments);
    this.shadowRoot.replaceChildren(create("section", { "aria-label": words.comments },
      create("div", { class: "top" }, this.#title, this.#present, this.#sort, this.#who),
      this.#form, this.#notice, this.#status, this.#bar, this.#pinned, this.#apart, this.#start, this.#list, this.#typing, this.#foot, this.dialog));
  }

  #drawPinned() {
    const { words } = this;
    const pinned = this.#thread.pinned || [];
    this.#pinned.hidden = !pinned.length;
    this.#pinned.replaceChildren(create("h3", { text: words.pinned }), ...pinned.map((comment) =>
      create("div", {}, create("header", {}, create("b", { text: comment.author?.name ?? "", dir: "auto" }),
        create("a", { class: "when", href: addressOf(comment.id), text: words.goTo, onclick: () => setTimeout(this.follow) })),
      fill(create("div", { class: "text", dir: "auto" }), comment.content_html))));
  }

  #drawSession() {
    const { words, user } = this;
    this.#who.replaceChildren(...(user
      ? [create("b", { text: user.name, dir: "auto" }), !this.#token && !this.client.isShared && button(words.signOut, () => this.#signOut(), { class: "quiet" })]
      : [this.methods.length > 0 && button(words.signIn, () => this.signIn(), { class: "quiet" })]).filter(Boolean));
    this.#form.hidden = !this.isOpen || (!user && !this.methods.length);
    this.#editor.follow();
  }

  #drawCounts() {
    const { words } = this;
    const { total, next } = this.#thread;
    this.#title.textContent = total ? words.count(total) : words.comments;
    this.#more.hidden = next === null;
    const told = this.isOpen ? (this.#roots.length ? "" : words.empty) : words.closed;
    this.#foot.replaceChildren(this.#more, ...(told ? [create("p", { text: told })] : []));
    this.#foot.hidden = !told && next === null;
  }

  // Change the public comment count.
  count(change) {
    this.#thread.total += change;
    this.#drawCounts();
  }

  async #signOut() {
    await this.client.signOut();
    await this.refresh();
    this.#who.querySelector("button")?.focus();
  }

  // The user has signed in or out. Drafts stay.
  async refresh() {
    this.session = await this.client.ask("GET", "/session");
    const [thread] = await this.#read(this.#link);
    if (!this.drafts.size) return this.#show(thread);
    for (const comment of flat(thread.comments)) this.views.get(comment.id)?.update(comment);
    for (const view of this.views.values()) view.update({});
    for (const form of this.drafts.values()) form.follow();
    this.#drawSession();
    this.#listen();
  }

  async #loadMore() {
    const sort = this.#thread.sort;
    const part = await this.client.ask("GET", "/comments", { ...this.page, sort, limit: PART, cursor: this.#thread.next });
    this.#thread.next = part.next;
    const fresh = part.comments.filter((comment) => !this.views.has(comment.id)).map((comment) => new CommentView(this, comment));
    this.#roots.push(...fresh);
    this.#list.append(...fresh.map((root) => root.item));
    this.#drawCounts();
    fresh[0]?.article.focus({ preventScroll: true });
  }

  async #leaveLink() {
    this.#link = null;
    this.#show((await this.#read(null))[0]);
    this.#title.scrollIntoView({ block: "nearest" });
  }

  // Go to the comment of the URL, wherever it is in the thread.
  follow = () => {
    const link = LINK.exec(location.hash)?.[1];
    if (!link) return;
    if (this.views.has(link)) this.show(link);
    else this.load();
  };

  // Bring a comment into view and mark it, wherever it is.
  show(id) {
    const view = this.views.get(id);
    if (!view) return void (location.hash = `comment-${id}`);
    this.#list.querySelector(".target")?.classList.remove("target");
    for (let item = view.item; item && item !== this.#list; item = item.parentElement) item.classList.remove("folded");
    view.item.classList.add("target");
    view.article.focus({ preventScroll: true });
    view.article.scrollIntoView({ block: "center" });
  }

  async post({ content, website, key }, parent_id = null) {
    const { words } = this;
    const given = { ...this.page, content, parent_id, website, title: document.title || null, elapsed_ms: Date.now() - this.#since };
    const { comment } = await this.client.write("/comments", given, key);
    this.#waiting.delete(comment.id);
    this.#drawBar();
    this.#place(comment);
    this.count(comment.status === "approved");
    this.say(comment.status === "approved" ? words.posted : words.held, comment.status !== "approved");
    this.#listen();
    this.dispatchEvent(new CustomEvent("ts-commented", { detail: comment, bubbles: true, composed: true }));
    return comment;
  }

  // The place of a new comment; false if its parent is not shown.
  #place(comment) {
    if (this.views.has(comment.id)) return true;
    if (comment.parent_id) {
      const parent = this.views.get(comment.parent_id);
      if (!parent) return false;
      parent.comment.reply_count += 1;
      parent.addReplies([comment]);
      return true;
    }
    const root = new CommentView(this, comment);
    const isLast = this.#thread.sort === "old";
    this.#roots[isLast ? "push" : "unshift"](root);
    this.#list[isLast ? "append" : "prepend"](root.item);
    return true;
  }

  remove(id, focus = false) {
    const view = this.views.get(id);
    if (!view || !view.comment.author) return;
    if (view.comment.status === "approved") this.#thread.total -= 1;
    if (view.comment.reply_count || view.isOpen) {
      view.update({ author: null, content: "", content_html: "", status: "deleted", pinned_at: null });
      if (focus) view.article.focus();
    } else {
      this.#drop(view, focus);
    }
    this.#drawCounts();
  }

  #drop(view, focus) {
    const parent = this.views.get(view.comment.parent_id);
    const near = (view.item.nextElementSibling || view.item.previousElementSibling)?.querySelector("article");
    this.views.delete(view.id);
    if (parent) {
      parent.comment.reply_count -= 1;
      parent.dropReply(view);
    } else {
      this.#roots = this.#roots.filter((root) => root !== view);
      view.item.remove();
    }
    if (focus) (near || parent?.article || this.#editor.querySelector("textarea")).focus();
  }

  #listen() {
    const newest = Math.max(0, ...[...this.views.values()].map((view) => Date.parse(view.comment.created_at)));
    const isQuiet = this.#thread.total > 0 && newest < Date.now() - QUIET_MS;
    this.#readAt = Math.max(newest, this.newestFirst && !this.#link ? 0 : Date.now());
    const who = `${this.user?.id} ${JSON.stringify(this.page)} ${this.client.base}`;
    if (this.#live?.who === who && !isQuiet) return;
    this.#live?.stop();
    this.#live = isQuiet || samples.has(this.client.base) ? null : new Live(this.client, this.page, (message) => this.#hear(message));
    if (this.#live) this.#live.who = who;
  }

  #hear(message) {
    const view = this.views.get(message.comment_id ?? message.comment?.id);
    const { comment } = message;
    const work = {
      new_comment: () => { if (comment && !view) this.#waiting.set(comment.id, comment); },
      edit_comment: () => {
        if (comment && view && comment.author) view.update({ content: comment.content, content_html: comment.content_html, edited: comment.edited, updated_at: comment.updated_at });
        else if (comment && this.#waiting.has(comment.id)) this.#waiting.set(comment.id, comment);
      },
      delete_comment: () => { this.#waiting.delete(message.comment_id); if (view && !view.isOwn) this.remove(view.id); },
      vote_update: () => view?.showVotes({ upvotes: message.upvotes, downvotes: message.downvotes }),
      pin_update: () => view?.update({ pinned_at: message.pinned_at ?? null }),
      presence: () => this.#showPresence(message),
      typing: () => this.#showTyping(message),
      subscribed: () => { if (parseInt(message.event, 10) > this.#readAt) this.#checkAgain(); },
      reload: () => this.#checkAgain(),
    }[message.type];
    if (work) steady(this, work);
    this.#drawBar();
  }

  // Too many events were missed: read the thread again and put new comments behind the bar.
  async #checkAgain() {
    try {
      const thread = await this.client.ask("GET", "/comments", { ...this.page, sort: "new", limit: PART });
      for (const comment of flat(thread.comments)) {
        if (comment.author && !this.views.has(comment.id) && Date.parse(comment.created_at) > this.#readAt) this.#waiting.set(comment.id, { ...comment, replies: [], replies_next: null });
      }
      this.#drawBar();
    } catch { /* the next message or visit shows it */ }
  }

  #drawBar() {
    const number = this.#waiting.size;
    const text = this.words.fresh(number);
    if (this.#bar.textContent === (number ? text : "")) return;
    this.#bar.hidden = !number;
    this.#bar.replaceChildren(...(number ? [button(text, () => this.#showWaiting(), { class: "main" })] : []));
    if (number) this.say(text);
  }

  #showWaiting() {
    const waiting = [...this.#waiting.values()].sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
    this.#waiting.clear();
    this.#drawBar();
    this.#thread.total += waiting.length;
    for (const item of this.#list.querySelectorAll(".fresh")) item.classList.remove("fresh");
    const placed = waiting.filter((comment) => this.#place(comment));
    for (const { id } of placed) this.views.get(id).item.classList.add("fresh");
    this.#drawCounts();
    this.show((placed.at(this.newestFirst ? -1 : 0) ?? waiting[0]).id);
  }

  #showPresence({ count }) {
    this.#present.textContent = this.session.site.presence && count > 1 ? this.words.readers(count) : "";
  }

  #showTyping({ users = [] }) {
    const others = users.filter((user) => user.id !== this.user?.id);
    clearTimeout(this.#quiet);
    if (others.length) this.#quiet = setTimeout(() => this.#showTyping({}), 5000);
    this.#typing.textContent = others.length ? this.words.typing(others.map((user) => user.name || this.words.someone).join(", ")) : "";
  }
}

const flat = (comments) => comments.flatMap((comment) => [comment, ...flat(comment.replies)]);

// Add the ancestors of a comment to the loaded part if they are missing.
function graft(comments, way) {
  for (const step of way) {
    let here = comments.find((comment) => comment.id === step.id);
    if (!here) {
      here = { ...step, replies: [], replies_next: step.reply_count ? "" : null };
      comments.push(here);
    }
    comments = here.replies;
  }
}

// Keep the scroll position of the text being read. Most browsers do this themselves.
function steady(host, work) {
  if (CSS.supports("overflow-anchor", "auto")) return work();
  const seen = [...host.views.values()].map((view) => view.article).find((article) => article.getBoundingClientRect().bottom > 0);
  const before = seen?.getBoundingClientRect().top;
  work();
  if (seen?.isConnected) scrollBy(0, seen.getBoundingClientRect().top - before);
}

if (!customElements.get("ts-comments")) customElements.define("ts-comments", Comments);
