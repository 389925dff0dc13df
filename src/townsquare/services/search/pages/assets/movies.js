// The search page: its address says what is asked, so that every answer is a link.

import { at, attempt, el, notify, several } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { request } from "../../shared/session.js";
import { card } from "./cards.js";
import { picture } from "./explain.js";

const FIRST = 12; // films at once
const MOST = 50;
const form = at("search");
const names = { region: new Intl.DisplayNames(["en"], { type: "region" }), language: new Intl.DisplayNames(["en"], { type: "language" }) };

let shownTimes = {}; // how often each film was shown for this query
let turn = 0; // an answer to an earlier question is not for us any more

function asked() {
  const given = new URLSearchParams(location.search);
  return { query: (given.get("q") || "").trim(), ignore: given.getAll("without"), prefer: given.getAll("prefer"), keywords: given.getAll("keyword"), limit: Math.min(MOST, Number(given.get("limit")) || FIRST) };
}

function address({ query, ignore = [], prefer = [], keywords = [], limit = FIRST }) {
  const given = new URLSearchParams({ q: query });
  for (const part of ignore) given.append("without", part);
  for (const part of prefer) given.append("prefer", part);
  for (const keyword of keywords) given.append("keyword", keyword);
  if (limit !== FIRST) given.set("limit", limit);
  return `${ROOT}/movies?${given}`;
}

function go(question) {
  history.pushState(null, "", address(question));
  shownTimes = {};
  return show();
}

async function show() {
  const question = asked();
  const mine = ++turn;
  form.q.value = question.query;
  document.title = `${question.query || "Movies"} · Townsquare`;
  at("start").hidden = Boolean(question.query);
  if (!question.query) return clear();
  at("films").setAttribute("aria-busy", "true");
  closeExplain();
  const opening = "opening" in at("movies").dataset && setTimeout(() => mine === turn && notify("Loading the film index. The first search takes a few seconds."), 1000);
  try {
    const { keywords, ...said } = question;
    const answer = await request("POST", "/search", { ...said, filters: keywords.length ? { keywords } : {}, shown_movie_counts: shownTimes });
    delete at("movies").dataset.opening;
    if (mine === turn) draw(answer, question);
  } catch (problem) {
    if (mine !== turn) return undefined;
    clear();
    notify(problem.message, true);
  } finally {
    clearTimeout(opening);
    if (mine === turn) at("films").removeAttribute("aria-busy");
  }
  return undefined;
}

function clear() {
  notify("");
  for (const id of ["chips", "notices", "results", "facets"]) at(id).replaceChildren();
  for (const id of ["understood", "head", "more", "narrow"]) at(id).hidden = true;
  closeExplain();
}

function draw(answer, question) {
  notify("");
  at("understood").hidden = !answer.understood.length && !question.ignore.length && !question.keywords.length;
  at("chips").replaceChildren(
    ...question.keywords.map((keyword) => keywordChip(keyword, question)),
    ...answer.understood.map((part) => chip(part, question)),
    ...question.ignore.map((part) => back(part, question)),
  );
  at("facets").replaceChildren(...answer.keywords.map(({ keyword, films }) => el("li", {}, facet(keyword, films, question))));
  at("narrow").hidden = !answer.keywords.length;
  at("notices").replaceChildren(...answer.notices.map((notice) => el("li", { "data-code": notice.code }, notice.detail)));
  at("results").replaceChildren(...answer.results.map(card));
  at("head").hidden = false;
  at("count").textContent = answer.results.length ? `${answer.results.length} ${several(answer.results.length, "film")} in ${Math.max(1, Math.round(answer.took_ms))} ms` : "No film has all of this. Take something away, or say it in other words.";
  at("others").hidden = answer.results.length < FIRST;
  at("more").hidden = answer.results.length < question.limit || question.limit >= MOST;
  shown = answer.results;
}
let shown = [];

// "genres:horror" has its words; codes of languages and countries are said as people say them.
function said(part) {
  const [kind, code] = part.part.split(":");
  const known = { audio_languages: "language", without_audio_languages: "language", countries: "region", without_countries: "region" }[kind];
  if (!known || !code) return part.label;
  try {
    return `${part.excluded ? "no " : ""}${names[known].of(code)}`;
  } catch {
    return part.label;
  }
}

function chip(part, question) {
  const button = el("button", { type: "button", className: `chip${part.excluded ? " not" : ""}${part.stated ? " stated" : ""}`, title: part.stated ? "Holds for every film" : "Counts in the order" },
    said(part), el("span", { "aria-hidden": "true" }, " ×"));
  button.setAttribute("aria-label", `${said(part)}: take away`);
  button.addEventListener("click", () => attempt(button, async () => {
    await go({ ...question, ignore: [...question.ignore, part.part] });
    at("films").focus({ preventScroll: true });
  }));
  const preferred = question.prefer.includes(part.part);
  if (part.excluded || part.part.startsWith("similar_to:") || !(part.stated || preferred)) return el("li", {}, button);
  return el("li", {}, button, softener(part, question, preferred));
}

// A limit becomes a preference, and a limit again.
function softener(part, question, preferred) {
  const button = el("button", { type: "button", className: "chip soften", title: preferred ? "Require it of every film" : "Prefer it, and show other films too" }, preferred ? "require" : "prefer");
  button.setAttribute("aria-label", `${said(part)}: ${preferred ? "require" : "only prefer"}`);
  button.addEventListener("click", () => attempt(button, async () => {
    await go({ ...question, prefer: preferred ? question.prefer.filter((one) => one !== part.part) : [...question.prefer, part.part] });
    at("films").focus({ preventScroll: true });
  }));
  return button;
}

function keywordChip(keyword, question) {
  const button = el("button", { type: "button", className: "chip stated", title: "Holds for every film" }, keyword, el("span", { "aria-hidden": "true" }, " ×"));
  button.setAttribute("aria-label", `${keyword}: take away`);
  button.addEventListener("click", () => attempt(button, async () => {
    await go({ ...question, keywords: question.keywords.filter((one) => one !== keyword) });
    at("films").focus({ preventScroll: true });
  }));
  return el("li", {}, button);
}

function facet(keyword, films, question) {
  const link = el("a", { className: "example", href: address({ ...question, keywords: [...question.keywords, keyword] }) }, keyword, el("small", {}, ` ${films}`));
  link.setAttribute("aria-label", `Only films with the keyword ${keyword}, ${films} of the best`);
  return link;
}

// What was taken away can be put back.
function back(part, question) {
  const words = part.split(":").slice(-1)[0].replaceAll("_", " ");
  const button = el("button", { type: "button", className: "chip gone", "aria-label": `${words}: put back` }, el("s", {}, words), el("span", { "aria-hidden": "true" }, " +"));
  button.addEventListener("click", () => attempt(button, async () => {
    await go({ ...question, ignore: question.ignore.filter((one) => one !== part) });
    at("films").focus({ preventScroll: true });
  }));
  return el("li", {}, button);
}

function closeExplain() {
  at("explain").hidden = true;
  at("why").setAttribute("aria-expanded", "false");
}

at("why").addEventListener("click", () => attempt(at("why"), async () => {
  if (!at("explain").hidden) return closeExplain();
  const { query, ignore, prefer, keywords, limit } = asked();
  const given = new URLSearchParams({ query, limit });
  for (const [name, parts] of Object.entries({ ignore, prefer, keywords })) if (parts.length) given.set(name, parts.join(","));
  const explanation = await request("GET", `/search/explain?${given}`);
  at("explain").replaceChildren(...picture(explanation));
  at("explain").hidden = false;
  at("why").setAttribute("aria-expanded", "true");
  return undefined;
}));

at("others").addEventListener("click", () => attempt(at("others"), async () => {
  for (const film of shown) shownTimes[film.id] = (shownTimes[film.id] || 0) + 1;
  await show();
}));

at("more").addEventListener("click", () => attempt(at("more"), async () => {
  const question = asked();
  history.replaceState(null, "", address({ ...question, limit: Math.min(MOST, question.limit + FIRST) }));
  const before = shown.length;
  await show();
  at("results").children[before]?.querySelector("h3 a")?.focus();
}));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const query = form.q.value.trim();
  if (query) attempt(at("go"), () => go({ query }));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.example");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const wanted = new URL(link.href).searchParams;
  go({ query: wanted.get("q"), ignore: wanted.getAll("without"), prefer: wanted.getAll("prefer"), keywords: wanted.getAll("keyword") });
  form.q.focus();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  form.q.focus();
});

// Titles while somebody types: a moment after the last key, and only for what could be the beginning of one.
let typing = 0;
form.q.addEventListener("input", () => {
  clearTimeout(typing);
  const q = form.q.value.trim();
  if (q.length < 2 || q.length > 40) return;
  typing = setTimeout(async () => {
    try {
      const { items } = await request("GET", `/title_search?${new URLSearchParams({ q })}`);
      if (form.q.value.trim() === q) at("titles").replaceChildren(...items.map((item) => el("option", { value: item.title }, String(item.year))));
    } catch {
      at("titles").replaceChildren(); // they are a help; the search itself says what is wrong
    }
  }, 150);
});

addEventListener("popstate", () => {
  shownTimes = {};
  show();
});
await show();
