// The shell: who is here, where we are, and what the keyboard does.

import { at, el, Left, notify, several } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { signInAddress } from "../../shared/session.js";
import { beginVisit, door, findDoor, findMe, getAnyway, me } from "./api.js";
import { followButton } from "./cards.js";
import { figure, place } from "./dom.js";
import { head, unseenHeading, vacant } from "./stage.js";
import { viewOf } from "./views.js";

const KEYS = { j: "Next post", k: "Previous post", l: "Like", b: "Bookmark", o: "Open", n: "Write a post", "/": "Search", "?": "This help" };

let shown = "";

// Answers whether the view was shown to its end, and not left meanwhile.
async function show() {
  const view = viewOf(new URL(location.href));
  beginVisit();
  shown = location.pathname + location.search;
  document.title = `${view.title} · Townsquare`;
  for (const link of document.querySelectorAll("[data-at]")) {
    if (link.dataset.at === view.at) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (document.activeElement !== at("search").q) at("search").q.value = new URLSearchParams(location.search).get("q") || "";
  notify("");
  if (at("dialog").open) at("dialog").close();
  head(unseenHeading(view.title));
  at("stream").replaceChildren(...[1, 2, 3].map(() => el("div", { className: "sheet bone waiting", "aria-hidden": "true" })));
  at("more").replaceChildren();
  at("main").setAttribute("aria-busy", "true");
  try {
    await view.show({ go, again: show });
  } catch (problem) {
    if (problem instanceof Left) return false;
    const again = el("button", { type: "button", onclick: () => show() }, "Try again");
    at("stream").replaceChildren(vacant(problem.message, again));
  } finally {
    for (const bone of at("stream").querySelectorAll(".waiting")) bone.remove();
    drawWho();
  }
  at("main").removeAttribute("aria-busy");
  return true;
}

function go(href) {
  history.pushState(null, "", href);
  scrollTo(0, 0);
  at("main").focus({ preventScroll: true });
  return show();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const there = new URL(link.href);
  if (link.target || there.origin !== location.origin || there.pathname !== `${ROOT}/social` || there.hash) return;
  event.preventDefault();
  go(there.href);
});
addEventListener("popstate", () => {
  if (location.pathname + location.search === shown) return; // only another place in the same view
  at("main").focus({ preventScroll: true });
  show();
});

at("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const q = event.target.q.value.trim();
  if (q) go(place("q", q));
});

// Results while typing.
let typing = 0;
at("search").q.addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const q = event.target.value.trim();
    if (q.length < 2) return;
    history[new URLSearchParams(location.search).has("q") ? "replaceState" : "pushState"](null, "", place("q", q));
    show();
  }, 300);
});

function drawWho() {
  for (const link of document.querySelectorAll("[data-member]")) link.hidden = me.state !== "member";
  if (me.state === "visitor") at("who").replaceChildren(...(door.open ? [el("a", { href: signInAddress() }, "Sign in")] : []));
  if (me.state === "member") document.querySelector("[data-at=profile]").href = place("user", me.name);
}

async function drawSide() {
  const [trends, models, newest] = await Promise.all([
    getAnyway("/search/hashtags/trending", { limit: 8 }),
    getAnyway("/search/models/top", { limit: 5 }),
    getAnyway("/search/users/newest", { limit: 6 }),
  ].map((asked) => asked.catch(() => ({ items: [] }))));
  const list = (title, rows) => rows.length > 0 && [el("h2", {}, title), el("ul", {}, rows)];
  const person = (profile, more) => el("li", {}, el("a", { href: place("user", profile.username) }, profile.display_name || profile.username), " ", el("small", {}, more), profile.username !== me.name && followButton(profile));
  at("side").replaceChildren(...[
    list("Trending", trends.items.map((trend) => el("li", {}, el("a", { href: place("tag", trend.hashtag) }, `#${trend.hashtag}`), " ", el("small", {}, `${figure(trend.posts)} today`)))),
    list("Top models", models.items.map((rank) => person(rank.profile, `${figure(rank.engagement)} ${several(rank.engagement, "point")}`))),
    list("New here", newest.items.filter(({ username }) => username !== me.name).map((profile) => person(profile, `@${profile.username}`))),
    [el("p", { className: "hint" }, el("small", {}, "Press ", el("kbd", {}, "?"), " for keyboard shortcuts"))],
  ].filter(Boolean).flat());
}

const posts = () => [...document.querySelectorAll(".post")];

function step(by) {
  const all = posts();
  const here = all.findIndex((post) => post.contains(document.activeElement));
  const next = all[here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + by))];
  if (by > 0 && here === all.length - 1) at("more").querySelector("button")?.focus();
  else next?.querySelector("a.name")?.focus();
}

function help() {
  const dialog = at("dialog");
  const rows = Object.entries(KEYS).flatMap(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]);
  dialog.replaceChildren(el("h2", { id: "dialog-title" }, "Keys"), el("dl", {}, rows),
    el("form", { method: "dialog" }, el("div", { className: "row" }, el("button", {}, "Close"))));
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || at("dialog").open) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape") at("main").focus({ preventScroll: true });
    return;
  }
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  const here = posts().find((post) => post.contains(document.activeElement));
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "l") here?.querySelector("[data-deed=like]").click();
  else if (event.key === "b") here?.querySelector("[data-deed=bookmark]").click();
  else if (event.key === "o") here?.querySelector(".byline a:has(time)").click();
  else if (event.key === "n") at("write")?.click();
  else if (event.key === "/") at("search").q.focus();
  else help();
});

await findMe();
await findDoor();
await Promise.all([show(), drawSide()]);
