// The moderators' page: held and reported comments, judged by mouse or by keyboard, one or several at a time.

import { at, ask, attempt, el, field, notify, several, when } from "../../shared/page.js";
import { isKept, requestAsMe, signInAddress } from "../../shared/session.js";

const REASONS = {
  spam: "Spam", harassment: "Harassment", hate_speech: "Hate speech", misinformation: "Misinformation", other: "Something else",
  blocked_word: "blocked word", link: "has a link", image: "has an image", repeated: "repeated", reported: "reported", akismet: "spam (Akismet)", turnstile: "Turnstile failed", text_check: "text check", check_is_away: "a check was unavailable", moderated: "pre-moderation is on",
  new_author: "new author", new_account: "new account",
};
const site = new URLSearchParams(location.search).get("site") || "";
const tabs = [...document.querySelectorAll("[role=tab]")];
const items = at("items");

let shown = "queue";
let cards = []; // of the comments, in their order
let turn = 0; // of loading: an answer to an earlier one is not for us any more

const call = (method, path, body) => requestAsMe(method, `/threads/v1${path}`, body, { headers: { "X-API-Key": site } });

function listed(path, cursor) {
  const query = new URLSearchParams({ limit: 50, ...(cursor ? { cursor } : {}) });
  return call("GET", `/moderation/${path}?${query}`);
}

// Several people may have reported one comment: it is judged once.
function entries(kind, found) {
  if (kind === "queue") return found.map(({ comment, page_url, reasons, report_count }) => ({ comment, page_url, reasons, report_count, reports: [] }));
  const byComment = new Map();
  for (const { report, reporter, comment, page_url } of found) {
    if (!comment) continue;
    if (!byComment.has(comment.id)) byComment.set(comment.id, { comment, page_url, reasons: [], reports: [] });
    byComment.get(comment.id).reports.push({ ...report, by: reporter?.name ?? "somebody" });
  }
  return [...byComment.values()];
}

async function load(kind) {
  const mine = ++turn;
  shown = kind;
  for (const tab of tabs) {
    const chosen = tab.id === `tab-${kind}`;
    tab.setAttribute("aria-selected", chosen);
    tab.tabIndex = chosen ? 0 : -1;
  }
  items.setAttribute("aria-labelledby", `tab-${kind}`);
  const page = await listed(kind);
  if (mine !== turn) return;
  cards = [];
  items.replaceChildren();
  append(page);
}

function append(page) {
  const known = new Set(cards.map((card) => card.entry.comment.id));
  for (const entry of entries(shown, page.items)) {
    if (known.has(entry.comment.id)) continue;
    const card = makeCard(entry);
    cards.push(card);
    items.append(card.element);
  }
  at("more").replaceChildren(...(page.next
    ? [el("button", { type: "button", className: "quiet", onclick: (event) => attempt(event.target, async () => append(await listed(shown, page.next))) }, "Show more")]
    : []));
  showEmptiness();
}

function showEmptiness() {
  if (cards.length) return;
  items.replaceChildren(el("p", { className: "empty" }, shown === "queue" ? "Nothing is held." : "No reports."));
}

function makeCard(entry) {
  const { comment, page_url, reasons, reports } = entry;
  const name = comment.author?.name ?? "somebody";
  const text = el("div", { className: "text", dir: "auto" });
  text.append(...new DOMParser().parseFromString(comment.content_html, "text/html").body.childNodes); // sanitised by the server
  const deed = (label, key, work, className = "quiet") =>
    el("button", { type: "button", className, "aria-keyshortcuts": key, onclick: (event) => attempt(event.target, () => work(card)) }, label);
  const address = page_url && /^https?:/i.test(page_url) ? `${page_url}#comment-${comment.id}` : null;
  const element = el("article", { className: "sheet waiting", tabIndex: -1, "aria-label": `Comment by ${name}`, onfocusin: () => choose(card) },
    el("header", { className: "byline" },
      el("input", { type: "checkbox", className: "select", "aria-label": `Select the comment by ${name}`, onchange: showSelected }),
      el("b", { dir: "auto" }, name),
      when(Date.parse(comment.created_at)),
      comment.status !== "approved" && el("span", { className: "chip" }, comment.status),
      reasons.map((reason) => el("span", { className: "chip" }, REASONS[reason] ?? reason)),
      entry.report_count > 0 && el("span", { className: "chip" }, `${entry.report_count} ${several(entry.report_count, "report")}`)),
    address && el("p", { className: "place small" }, "on ", el("a", { href: address, rel: "noopener" }, page_url)),
    text,
    reports.length > 0 && el("ul", { className: "reports" }, reports.map((report) =>
      el("li", {}, el("b", {}, REASONS[report.reason] ?? report.reason), ` by ${report.by}`, report.details && el("q", { dir: "auto" }, report.details)))),
    el("div", { className: "row" },
      deed(shown === "queue" ? "Approve" : "Keep", "a", approve, ""), deed("Reject", "r", reject), deed("Delete", "d", remove), comment.author && deed("Ban the author", "b", ban)));
  const card = { entry, element };
  return card;
}

let chosen = null;

function choose(card) {
  chosen?.element.removeAttribute("aria-current");
  chosen = card;
  card.element.setAttribute("aria-current", "true");
}

function go(step) {
  const place = cards.indexOf(chosen);
  const next = cards[Math.min(cards.length - 1, Math.max(0, place + step))];
  next?.element.focus({ preventScroll: true });
  next?.element.scrollIntoView({ block: "nearest" });
}

// Remove a judged comment from the list. Keyboard users continue with the next one.
function done(card, told) {
  count(shown, -1);
  const place = cards.indexOf(card);
  cards.splice(place, 1);
  card.element.remove();
  if (chosen === card) chosen = null;
  notify(told);
  showEmptiness();
  showSelected();
  const next = cards[place] ?? cards.at(-1);
  (next ? next.element : tabs.find((tab) => tab.tabIndex === 0)).focus();
}

async function approve(card) {
  await call("POST", `/moderation/approve/${card.entry.comment.id}`, {});
  done(card, "Approved: everybody sees it.");
}

async function reject(card) {
  await call("POST", `/moderation/reject/${card.entry.comment.id}`, {});
  done(card, "Rejected: its author and moderators see it, nobody else.");
}

async function remove(card) {
  const { comment } = card.entry;
  const work = () => call("DELETE", `/comments/${comment.id}`, { as_moderator: true });
  if (await ask("Delete this comment permanently?", [], { action: "Delete", bad: true, work })) done(card, "Deleted.");
}

async function ban(card) {
  const { author } = card.entry.comment;
  const fields = [
    field("Duration", el("select", { name: "days" }, [["1", "1 day"], ["7", "7 days"], ["30", "30 days"], ["0", "permanent"]].map(([value, text]) =>
      el("option", { value, selected: value === "7" }, text)))),
    el("label", { className: "check" }, el("input", { name: "remove", type: "checkbox" }), " Remove their comments on this site too"),
    el("label", { className: "check" }, el("input", { name: "shadow", type: "checkbox" }), " Shadow-ban: only they see their comments"),
  ];
  const work = ({ days, remove: also, shadow }) => shadow
    ? call("POST", `/moderation/shadowban/${author.id}`, {})
    : call("POST", `/moderation/ban/${author.id}`, { ...(Number(days) ? { days: Number(days) } : {}), remove_comments: Boolean(also) });
  const banned = await ask(`Ban ${author.name}?`, fields, { action: "Ban", bad: true, work });
  if (!banned) return;
  if (card.entry.comment.status !== "rejected") await call("POST", `/moderation/reject/${card.entry.comment.id}`, {}).catch(() => {});
  done(card, `${author.name} is banned, and the comment rejected.`);
}

function toggle(card) {
  card.element.querySelector(".select").click();
}

const KEYS = { j: () => go(1), k: () => go(-1), a: approve, r: reject, d: remove, b: ban, x: toggle };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("dialog").open || event.target.closest("input, textarea, select")) return;
  const work = KEYS[event.key];
  if (!work || at("work").hidden) return;
  event.preventDefault();
  if (work.length && !chosen) return;
  if (work.length) attempt(chosen.element, () => work(chosen));
  else work();
});

for (const tab of tabs) {
  tab.addEventListener("click", () => attempt(tab, () => load(tab.id.slice(4))));
  tab.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const other = tabs[1 - tabs.indexOf(tab)];
    other.focus();
    attempt(other, () => load(other.id.slice(4)));
  });
}
at("refresh").addEventListener("click", (event) => attempt(event.target, () => load(shown)));

// The tabs show how many comments there are, as far as it is known.
const counts = {};

function count(kind, change) {
  if (counts[kind] === undefined) return;
  counts[kind] = Math.max(0, counts[kind] + change);
  at(`count-${kind}`).textContent = counts[kind];
}

const isSelected = (card) => card.element.querySelector(".select").checked;

function showSelected() {
  const number = cards.filter(isSelected).length;
  at("selected").hidden = !number;
  at("selected-count").textContent = `${number} selected`;
}

async function judgeSelected(work) {
  for (const card of cards.filter(isSelected)) await work(card);
}

at("approve-selected").addEventListener("click", (event) => attempt(event.target, () => judgeSelected(approve)));
at("reject-selected").addEventListener("click", (event) => attempt(event.target, () => judgeSelected(reject)));

function siteCard({ name, domain, api_key_public, waiting, reports }) {
  return el("a", { className: "sheet mine", href: `?${new URLSearchParams({ site: api_key_public })}` },
    el("b", { dir: "auto" }, name), el("span", { className: "small" }, domain),
    el("span", { className: waiting ? "chip" : "small" }, `${waiting} held`),
    el("span", { className: reports ? "chip" : "small" }, `${reports} ${several(reports, "report")}`));
}

async function begin() {
  if (!isKept()) {
    at("sign-in").href = signInAddress();
    at("door").hidden = false;
    return;
  }
  const mine = (await requestAsMe("GET", "/threads/v1/sites/mine")).items;
  if (!site) {
    at("which").replaceChildren(...(mine.length ? mine.map(siteCard)
      : [el("p", { className: "empty" }, "You do not moderate a site yet. ", el("a", { href: "../threads" }, "Create one"), ", or ask its administrator to make you a moderator.")]));
    at("which").hidden = false;
    return;
  }
  const session = await call("GET", "/session");
  at("site").textContent = session.site.name;
  if (!["admin", "moderator"].includes(session.user?.role)) throw new Error("You are not a moderator of this site.");
  const known = mine.find((one) => one.api_key_public === site);
  if (known) Object.assign(counts, { queue: known.waiting, reports: known.reports });
  count("queue", 0);
  count("reports", 0);
  await load("queue");
  at("work").hidden = false;
}

attempt(null, begin);
