// The notification centre: what happened in all services, newest first, and how to hear of it.

import { at, attempt, el, face, field, notify, when } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { isKept, requestAsMe, signInAddress } from "../../shared/session.js";

const TYPES = {
  reply: "Replies and comments on your posts", mention: "Mentions", follow: "New followers", like: "Likes", moderation: "Moderation of what you wrote",
};
const CHANNELS = { off: "Off", app: "In the app", mail: "In the app and by mail at once", digest: "In the app and in a daily mail" };
const READ_MS = 600; // how long a link waits until it is marked as read

const call = (method, path, body) => requestAsMe(method, `/accounts/me${path}`, body);
const list = at("list");

function count(unread) {
  at("read-all").hidden = !unread;
  dispatchEvent(new CustomEvent("townsquare-unread", { detail: unread }));
}

async function read(ids) {
  const { unread } = await call("POST", "/notifications/read", ids ? { ids } : { all: true });
  count(unread);
}

function row(one) {
  const href = one.url.startsWith("/") ? `${ROOT}${one.url}` : /^https?:/.test(one.url) ? one.url : null;
  const inside = [
    face({ name: one.actor || "!", avatar: one.avatar }),
    el("span", { className: "what" }, el("b", {}, one.text), " ", when(one.created_at), one.excerpt && el("q", { dir: "auto" }, one.excerpt)),
  ];
  const go = async (event) => {
    if (item.classList.contains("read") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const marked = read([one.id]).catch(() => {});
    await Promise.race([marked, new Promise((done) => setTimeout(done, READ_MS))]);
    location.assign(href);
  };
  const item = el("li", { className: one.read ? "read" : "" }, href ? el("a", { href, onclick: go }, inside) : el("div", {}, inside));
  if (!one.read) item.append(el("button", { type: "button", className: "quiet mark", "aria-label": `Mark as read: ${one.text}`, title: "Mark as read", onclick: (event) => attempt(event.currentTarget, async () => {
    await read([one.id]);
    item.classList.add("read");
    event.target.remove();
  }) }, "✓"));
  return item;
}

async function load(cursor) {
  const page = await call("GET", `/notifications?${new URLSearchParams({ limit: 30, ...(cursor ? { cursor } : {}) })}`);
  if (!cursor) list.replaceChildren();
  list.append(...page.items.map(row));
  list.removeAttribute("aria-busy");
  at("settings").hidden = false;
  count(page.unread);
  if (!list.children.length) list.replaceChildren(el("li", { className: "none" }, el("p", {}, "Nothing yet. Replies, mentions, new followers and likes appear here."), el("a", { href: `${ROOT}/` }, "See what you can do")));
  const more = el("button", { type: "button", className: "quiet", onclick: () => attempt(more, () => load(page.next)) }, "Show more");
  at("more").replaceChildren(...(page.next ? [more] : []));
}

async function settings() {
  const { notifications } = await call("GET", "");
  at("channels").replaceChildren(...Object.entries(TYPES).map(([type, label]) =>
    field(label, el("select", { name: type, onchange: (event) => attempt(event.target, async () => {
      await call("PATCH", "", { notifications: { [type]: event.target.value } });
      notify("Saved.");
    }) }, Object.entries(CHANNELS).map(([value, text]) => el("option", { value, selected: notifications[type] === value }, text))))));
}

function failed(problem) {
  if (!isKept()) return location.replace(signInAddress());
  const again = el("button", { type: "button", onclick: () => begin() }, "Try again");
  return list.replaceChildren(el("li", { className: "none" }, el("p", {}, problem.message), again));
}

at("read-all").addEventListener("click", (event) => attempt(event.target, async () => {
  await read(null);
  await load();
}));
at("settings").addEventListener("toggle", () => at("settings").open && !at("channels").children.length && attempt(null, settings));

function begin() {
  if (!isKept()) return location.replace(signInAddress());
  if (location.hash === "#settings") at("settings").open = true;
  return load().catch(failed);
}

begin();
