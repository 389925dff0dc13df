// What all widgets share: themes, languages, requests. Text from people is only ever set as text.

const HOME = new URL(import.meta.url).origin;
const MOST = { ranking: 100, bbs: 10 }; // in one request; of the others, which are a few numbers, 1000

export function sheet(css) {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}

const LOOK = sheet(`
:host { display: inline-block; --paper: #ffffff; --ink: #1f2328; --frame: #d0d7de; --accent: #cf222e; --corner: 3px;
  --mono: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; --face: system-ui, "Segoe UI", "Noto Sans", "Hiragino Sans", sans-serif;
  --digits: var(--mono); color: var(--ink) }
:host([hidden]) { display: none }
:host([theme=dark]) { --paper: #0d1117; --ink: #e6edf3; --frame: #30363d; --accent: #ff7b72 }
:host([theme=retro]) { --paper: #000000; --ink: #39ff14; --frame: #808080; --accent: #ffff00; --corner: 0; --face: var(--mono) }
:host([theme=kawaii]), :host([theme=mom]) { --face: "Comic Sans MS", "M PLUS Rounded 1c", "Hiragino Maru Gothic ProN", ui-rounded, sans-serif; --digits: var(--face) }
:host([theme=kawaii]) { --paper: #fff0f6; --ink: #c2255c; --frame: #faa2c1; --accent: #e64980; --corner: 12px }
:host([theme=mom]) { --paper: #f8fff4; --ink: #2f6f3e; --frame: #a9dcb0; --accent: #c2410c; --corner: 8px }
:host([theme=final]) { --paper: #0b1a66; --ink: #ffffff; --frame: #c8d4ff; --accent: #ffe066; --corner: 6px; --face: var(--mono) }
:host([theme=github]) { --paper: #f6f8fa; --ink: #24292f; --frame: #d0d7de; --accent: #0969da; --corner: 6px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`);

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

export function act(base, path, action, params) {
  return request(`${base}/api/${path}`, { method: "POST", body: new URLSearchParams({ action, ...params }) });
}

export function look(base, path, action, params) {
  return request(`${base}/api/${path}?${new URLSearchParams({ action, ...params })}`);
}

// Everything that is wanted in the same moment is read in one request.
const batches = new Map();

export function read(base, path, name, value) {
  const address = `${base}/api/${path}`;
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
    for (const [value, entry] of wanted) value in found ? entry.resolve(found[value]) : entry.reject(new Error("not found"));
  } catch (problem) {
    for (const [, entry] of wanted) entry.reject(problem);
  }
}

export class Widget extends HTMLElement {
  static observedAttributes = ["id", "url", "type", "digits", "limit", "page", "lang", "api-base"];
  static reloads = ["id", "url", "api-base"];

  constructor(...sheets) {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [LOOK, ...sheets];
  }

  connectedCallback() {
    this.load();
  }

  attributeChangedCallback(name, before, after) {
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

  padded(number) {
    return String(number).padStart(Math.min(10, Math.max(1, parseInt(this.getAttribute("digits"), 10) || 1)), "0");
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
