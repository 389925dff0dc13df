// What posts are drawn with. An address that people wrote only ever becomes a link or a picture if it is http
// or https.

import { el } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";

const TAG = String.raw`(?<![\p{L}\p{N}\p{M}_&/#])#[\p{L}\p{N}\p{M}_]{1,100}`;
const ADDRESS = String.raw`https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]`;
const MENTION = String.raw`(?<![\w.@/-])@[A-Za-z0-9_.-]{0,29}[A-Za-z0-9_-]`;
const LIVELY = new RegExp(`${ADDRESS}|${TAG}|${MENTION}`, "gu");

export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export function place(name, value, more = {}) {
  return `${ROOT}/social?${new URLSearchParams({ [name]: value, ...more })}`;
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

const COMPACT = new Intl.NumberFormat(undefined, { notation: "compact" });
export const figure = (number) => COMPACT.format(number);
