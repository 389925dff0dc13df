// Where views are shown: a head, a list below it, and the way to more of it.

import { at, attempt, el, isNowhere } from "../../shared/page.js";
import { get } from "./api.js";

const PAGE = 20;

// Every view has one heading of the first rank; this is the one of views that need none to be understood.
export const unseenHeading = (text) => el("h1", { className: "unseen" }, text);
export const head = (...parts) => at("head").replaceChildren(...parts.filter(Boolean));
export const titled = (text, ...parts) => el("div", { className: "head" }, el("h1", {}, text), parts);
export const vacant = (text, ...parts) => el("div", { className: "empty" }, el("p", {}, text), parts);

export function tabs(choices) {
  return el("nav", { className: "tabs", "aria-label": "Lists" },
    choices.map(([text, href, here]) => el("a", { href, "aria-current": here ? "page" : null }, text)));
}

// A list that grows page by page.
export async function stream(path, card, empty, query = {}) {
  const list = at("stream");
  const more = at("more");
  let next = null;
  const load = async () => {
    const first = next === null;
    const page = await get(path, { ...query, limit: PAGE, cursor: next });
    const cards = page.items.map(card);
    if (first) list.replaceChildren();
    list.append(...cards);
    next = page.next;
    if (!next) button.remove();
    else if (!button.isConnected) more.append(button);
    return cards;
  };
  const button = el("button", { type: "button", className: "quiet", onclick: () => attempt(button, async () => {
    const wasHere = document.activeElement === button;
    const [first] = await load();
    if (wasHere || isNowhere()) focusOn(first || list.lastElementChild);
  }) }, "More");
  if (!(await load()).length && !next) list.append(vacant(empty));
}

// Who reads by keyboard goes on here.
export function focusOn(card) {
  const name = card?.matches("a.name") ? card : card?.querySelector("a.name");
  (name || at("main")).focus();
}

// The card goes; whoever was on it goes on with the next one.
export function takeAway(card, empty = "Nothing is left here.") {
  const next = card.nextElementSibling || card.previousElementSibling;
  if (!next) card.after(vacant(empty));
  card.remove();
  focusOn(next);
}
