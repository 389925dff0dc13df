// What all widgets share: themes, languages, requests. Text from people is only ever set as text.

const HOME = new URL("../..", import.meta.url).href.slice(0, -1); // without the slash
const MOST = { ranking: 100, bbs: 10 }; // in one request; of the others, which are a few numbers, 1000

export function sheet(css) {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}

const LOOK = sheet(`
:host { display: inline-block; --paper: #ffffff; --ink: #1f2328; --frame: #d0d7de; --accent: #cf222e; --corner: 3px;
  --mono: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; --face: system-ui, "Segoe UI", "Noto Sans", "Hiragino Sans", sans-serif;
  --digits: var(--mono); --edge: 1px solid; --back: var(--paper); color: var(--ink) }
:host([hidden]) { display: none }
p[role] { background: var(--paper) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`);

// Filled by themes.js (drawing/stylesheet.py), which is loaded when a widget has a theme.
export const THEMES = new CSSStyleSheet();

export function create(tag, { text, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) if (value != null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

async function request(address, init) {
  const response = await fetch(address, { credentials: "omit", ...init });
  const answer = await response.json();
  if (!answer.success) throw Object.assign(new Error(answer.error), { code: answer.code });
  return answer.data;
}

// A page that shows a widget before there is one answers its requests itself, by the base that it gives it.
export const samples = new Map();
const sampled = (base, ...asked) => samples.get(base)?.(...asked);

export async function act(base, path, action, params) {
  return sampled(base, path, action, params) ?? request(`${base}/widgets/${path}`, { method: "POST", body: new URLSearchParams({ action, ...params }) });
}

export function address(base, path, action, params) {
  return sampled(base, path, action, params) ?? `${base}/widgets/${path}?${new URLSearchParams({ action, ...params })}`;
}

export async function look(...asked) {
  return sampled(...asked) ?? request(address(...asked));
}

// Everything that is wanted in the same moment is read in one request.
const batches = new Map();

export function read(base, path, name, value) {
  const address = `${base}/widgets/${path}`;
  if (!batches.has(address)) {
    batches.set(address, new Map());
    setTimeout(() => {
      const wanted = [...batches.get(address)];
      batches.delete(address);
      while (wanted.length) fetchBatch(base, path, wanted.splice(0, MOST[path] ?? 1000));
    });
  }
  const batch = batches.get(address);
  if (!batch.has(value)) {
    const entry = { name };
    entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    batch.set(value, entry);
  }
  return batch.get(value).promise;
}

async function fetchBatch(base, path, wanted) {
  const named = (name, mark) => wanted.filter(([, entry]) => entry.name === name).map(([value]) => value).join(mark);
  try {
    const found = await act(base, path, "batchGet", { ids: named("id", ","), urls: named("url", " ") });
    for (const [value, entry] of wanted) found[value]?.url ? entry.resolve(found[value]) : entry.reject(new Error("not found"));
  } catch (problem) {
    for (const [, entry] of wanted) entry.reject(problem);
  }
}

export class Widget extends HTMLElement {
  static observedAttributes = ["id", "url", "type", "digits", "limit", "page", "lang", "theme", "icon", "api-base"];
  static reloads = ["id", "url", "api-base"];

  constructor(...sheets) {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [LOOK, THEMES, ...sheets];
  }

  connectedCallback() {
    this.load();
  }

  attributeChangedCallback(name, before, after) {
    if (name === "theme") import("./themes.js");
    if (!this.isConnected || before === after) return;
    if (this.constructor.reloads.includes(name)) this.load();
    else this.show();
  }

  get base() {
    return this.getAttribute("api-base") || HOME;
  }

  get which() {
    return this.id ? ["id", this.id] : ["url", this.getAttribute("url") || location.href.split("#")[0]];
  }

  get language() {
    return this.closest("[lang]")?.lang || navigator.language;
  }

  words(all) {
    return all[this.language.slice(0, 2)] || all.en;
  }

  get digits() {
    return Math.min(10, Math.max(1, parseInt(this.getAttribute("digits"), 10) || 1));
  }

  padded(number) {
    return String(number).padStart(this.digits, "0");
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

// Also under the name that earlier pages use.
export function define(name, element) {
  for (const tag of [`ts-${name}`, `nostalgic-${name}`]) {
    if (!customElements.get(tag)) customElements.define(tag, class extends element {});
  }
}
