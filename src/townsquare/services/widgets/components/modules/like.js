// <ts-like id="example-100680ad" theme="light"></ts-like>
// A button that likes and takes it back. All buttons of a page are read in one request.

import { Widget, act, create, define, read, sheet } from "./shared.js";

const ICONS = { heart: "♥", star: "★", thumb: "👍", peta: "🐾" };
export const WORDS = {
  en: { like: "Like", error: "Likes unavailable" },
  ja: { like: "いいね", error: "いいねを表示できません" },
};
const STYLE = sheet(`
button { display: inline-flex; gap: .5em; align-items: center; padding: .15em .7em; border: var(--edge) var(--frame); border-radius: var(--corner);
  background: var(--back); color: var(--ink); font: 600 1em/1.5 var(--digits); font-variant-numeric: tabular-nums; cursor: pointer; unicode-bidi: isolate }
button:hover, button[aria-pressed=true] { border-color: var(--accent) }
i { color: var(--accent); font-style: normal; filter: grayscale(1) }
[aria-pressed=true] i { filter: none }
button:disabled { cursor: default }
:host([theme=github]) button { padding: 0 5px; gap: 10px; border: 0; border-radius: 3px; background: linear-gradient(90deg, #555 0 calc(1.4em + 8px), #0b7285 0); color: #fff; font: 11px/20px Verdana, "DejaVu Sans", sans-serif }
:host([theme=github]) i { width: 1.4em; text-align: center; color: #fff }
:host([format=text]) button { all: unset; cursor: pointer }
:host([format=text]) button:focus-visible { outline: 2px solid var(--accent) }
@media (prefers-reduced-motion: no-preference) { button:active i { transform: scale(1.3) } i { transition: transform .1s } }
`);

const living = new Set();

class Like extends Widget {
  #button = create("button", { type: "button", disabled: "" });
  #icon = create("i", { "aria-hidden": "true" });
  #number = create("span");
  #likes = null;

  constructor() {
    super(STYLE);
    this.#button.append(this.#icon, this.#number);
    this.#button.addEventListener("click", () => this.toggle());
    this.shadowRoot.append(this.#button);
  }

  connectedCallback() {
    living.add(this);
    super.connectedCallback();
  }

  disconnectedCallback() {
    living.delete(this);
  }

  async load() {
    try {
      this.#likes = await read(this.base, "like", ...this.which);
    } catch {
      this.#likes = null;
    }
    this.show();
  }

  async toggle() {
    if (!this.#likes || this.#button.getAttribute("aria-busy")) return;
    this.#button.setAttribute("aria-busy", "true");
    try {
      const likes = await act(this.base, "like", "toggle", { id: this.#likes.id });
      for (const one of living) one.#follow(this.base, likes);
      this.tell("ts-liked", likes);
    } catch (problem) {
      this.tell("ts-failed", problem);
    }
    this.#button.removeAttribute("aria-busy");
  }

  #follow(base, likes) {
    if (this.base !== base || this.#likes?.id !== likes.id) return;
    this.#likes = likes;
    this.show();
  }

  show() {
    const words = this.words(WORDS);
    const likes = this.#likes;
    this.#button.disabled = !likes;
    this.#icon.textContent = ICONS[this.getAttribute("icon")] || ICONS[likes?.icon] || likes?.icon || ICONS.heart;
    this.#number.textContent = likes ? this.padded(likes.total) : "-";
    this.#button.setAttribute("aria-pressed", String(Boolean(likes?.liked)));
    this.#button.setAttribute("aria-label", likes ? `${words.like}: ${likes.total}` : words.error);
  }
}

define("like", Like);
