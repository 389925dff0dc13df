// Elements from words. Text that people wrote only ever becomes a text node, and an address of theirs only
// ever a link or a picture if it is http or https.

const TAG = String.raw`(?<![\p{L}\p{N}\p{M}_&/#])#[\p{L}\p{N}\p{M}_]{1,100}`;
const ADDRESS = String.raw`https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]`;
const MENTION = String.raw`(?<![\w.@/-])@[A-Za-z0-9_.-]{0,29}[A-Za-z0-9_-]`;
const LIVELY = new RegExp(`${ADDRESS}|${TAG}|${MENTION}`, "gu");

export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.startsWith("aria")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const at = (id) => document.getElementById(id);

export function place(name, value, more = {}) {
  return `/social?${new URLSearchParams({ [name]: value, ...more })}`;
}

export function safeAddress(text) {
  try {
    const address = new URL(text);
    return ["http:", "https:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

// A text with its hashtags, mentions and addresses as links.
export function lively(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(LIVELY)) {
    parts.push(text.slice(end, found.index), link(found[0]));
    end = found.index + found[0].length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

function link(word) {
  if (word.startsWith("#")) return el("a", { href: place("tag", word.slice(1)) }, word);
  if (word.startsWith("@")) return el("a", { href: place("user", word.slice(1)) }, word);
  const href = safeAddress(word);
  return href ? el("a", { href, rel: "noopener nofollow ugc", target: "_blank" }, word) : word;
}

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const STEPS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

export function when(ms) {
  const date = new Date(ms);
  const seconds = Math.round((Date.now() - ms) / 1000);
  const properties = { dateTime: date.toISOString(), title: date.toLocaleString() };
  if (seconds < 60) return el("time", properties, "now");
  if (seconds > 7 * 86_400) return el("time", properties, date.toLocaleDateString(undefined, { dateStyle: "medium" }));
  const [unit, size] = STEPS.find(([, length]) => seconds >= length);
  return el("time", properties, AGO.format(-Math.floor(seconds / size), unit));
}

const COMPACT = new Intl.NumberFormat(undefined, { notation: "compact" });
export const figure = (number) => COMPACT.format(number);
export const several = (number, word) => `${word}${number === 1 ? "" : "s"}`;

export function notify(text, bad = false) {
  const notice = at("notice");
  notice.textContent = text;
  notice.classList.toggle("bad", bad);
  notice.hidden = !text;
}

// Run what a person asked for, one at a time per button, and say what went wrong.
export async function attempt(button, work) {
  notify("");
  if (button) button.disabled = true;
  try {
    return await work();
  } catch (problem) {
    notify(problem.message, true);
    return undefined;
  } finally {
    if (button) button.disabled = false;
  }
}

// Ask in a dialog; answers what was filled in, or null.
export function ask(title, fields, { action, bad = false }) {
  const dialog = at("dialog");
  const form = el(
    "form",
    { method: "dialog" },
    el("h2", { id: "dialog-title" }, title),
    fields,
    el("div", { className: "row" },
      el("button", { type: "button", className: "quiet", onclick: () => dialog.close() }, "Cancel"),
      el("button", { value: "yes", className: bad ? "bad" : "" }, action)),
  );
  dialog.replaceChildren(form);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes" ? Object.fromEntries(new FormData(form)) : null);
  });
}

export function field(label, input) {
  return el("label", { className: "field" }, el("span", {}, label), input);
}
