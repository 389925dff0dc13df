// <ts-counter id="example-100680ad" type="total" theme="light" digits="6"></ts-counter>
// Counts the visitor once a day and shows the figures. Several elements of one counter share one request.

import { Widget, address, create, define, look, sheet } from "./shared.js";

const PERIODS = ["total", "today", "yesterday", "week", "month"];
const DRAWN = ["segment", "nixie", "dots_f", "mahjong"]; // themes whose digits are pictures
export const WORDS = {
  en: { total: "Visits", today: "Visits today", yesterday: "Visits yesterday", week: "Visits this week", month: "Visits this month", error: "Counter unavailable", label: "visits" },
  ja: { total: "アクセス数", today: "今日のアクセス数", yesterday: "昨日のアクセス数", week: "今週のアクセス数", month: "今月のアクセス数", error: "カウンターを表示できません", label: "アクセス" },
};
const STYLE = sheet(`
span { display: inline-block; min-width: 1ch; padding: .1em .5em; border: var(--edge) var(--frame); border-radius: var(--corner);
  background: var(--back); color: var(--ink); font: 600 1em/1.5 var(--digits); font-variant-numeric: tabular-nums; letter-spacing: .1em }
b { display: none }
:host([theme=github]) { font: 11px/20px Verdana, "DejaVu Sans", sans-serif; color: #fff; border-radius: 3px; overflow: hidden }
:host([theme=github]) :is(b, span) { display: inline-block; padding: 0 5px; border: 0; border-radius: 0; background: #555; color: inherit; font: inherit; letter-spacing: 0 }
:host([theme=github]) span { background: #0b7285 }
:host([format=text]) b { display: none }
:host([format=text]) span { all: unset }
`);

const counted = new Map();

function count(base, name, value) {
  const key = `${base} ${value}`;
  if (!counted.has(key)) counted.set(key, look(base, "visit", "increment", { [name]: value }));
  return counted.get(key);
}

class Counter extends Widget {
  #label = create("b", { "aria-hidden": "true" });
  #number = create("span", { role: "img" });
  #picture = create("img");
  #figures = null;

  constructor() {
    super(STYLE);
  }

  async load() {
    try {
      this.#figures = await count(this.base, ...this.which);
      this.tell("ts-counted", this.#figures);
    } catch {
      this.#figures = null;
    }
    this.show();
  }

  show() {
    const words = this.words(WORDS);
    const type = PERIODS.includes(this.getAttribute("type")) ? this.getAttribute("type") : "total";
    const number = this.#figures?.[type];
    this.#label.textContent = words.label;
    this.#number.textContent = this.#figures ? this.padded(number) : "-";
    const spoken = this.#figures ? `${words[type]}: ${number}` : words.error;
    this.#number.setAttribute("aria-label", spoken);
    const theme = this.getAttribute("theme");
    const drawn = this.#figures && DRAWN.includes(theme) && this.getAttribute("format") !== "text";
    if (drawn) {
      this.#picture.alt = spoken;
      this.#picture.src = address(this.base, "visit", "get", { id: this.#figures.id, format: "image", type, theme, digits: this.digits });
    }
    this.shadowRoot.replaceChildren(this.#label, drawn ? this.#picture : this.#number);
  }
}

define("counter", Counter);
