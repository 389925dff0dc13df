// <ts-ranking id="example-100680ad" limit="10" theme="light"></ts-ranking>
// The best of a ranking. A game enters a score with element.submit(name, score, displayScore).

import { Widget, act, create, define, look, read, sheet } from "./shared.js";

const USUAL = 10;
export const WORDS = {
  en: { title: "Ranking", rank: "Rank", name: "Name", score: "Score", empty: "No scores yet. Will yours be the first?", error: "Ranking unavailable" },
  ja: { title: "ランキング", rank: "順位", name: "名前", score: "スコア", empty: "まだ記録がありません。一番乗りをどうぞ！", error: "ランキングを表示できません" },
};
const STYLE = sheet(`
:host { display: block; max-width: 26em }
table { width: 100%; border-collapse: separate; border-spacing: 0; border: var(--edge) var(--frame); border-top: 0; border-radius: 0 0 var(--corner) var(--corner); background: var(--back); font: 1em/1.5 var(--face); overflow: hidden }
caption { padding: .25em .7em; border: var(--edge) var(--frame); border-bottom: 0; border-radius: var(--corner) var(--corner) 0 0; background: var(--accent); color: var(--paper); font-weight: 700; text-align: start }
th, td { padding: .25em .7em; text-align: start }
td { overflow-wrap: anywhere }
thead th { font-size: .8em }
tbody :is(th, td) { border-top: 1px solid var(--frame) }
tbody th { width: 2em; color: var(--accent); font-weight: 700 }
:is(th, td):last-child:not([colspan]) { max-width: 7em; text-align: end; overflow-wrap: break-word; font-family: var(--digits); font-variant-numeric: tabular-nums }
p { margin: 0; padding: .25em .7em; font: 1em/1.5 var(--face) }
:host([format=text]) :is(table, caption) { all: revert; font: inherit; color: inherit }
`);

class Ranking extends Widget {
  static reloads = ["id", "url", "api-base", "limit"];

  #standings = null;

  constructor() {
    super(STYLE);
  }

  get #limit() {
    return Math.min(1000, Math.max(1, parseInt(this.getAttribute("limit"), 10) || USUAL));
  }

  async load() {
    const [name, value] = this.which;
    try {
      this.#standings = this.#limit === USUAL
        ? await read(this.base, "ranking", name, value)
        : await look(this.base, "ranking", "get", { [name]: value, limit: this.#limit });
      this.tell("ts-ranked", this.#standings);
    } catch {
      this.#standings = null;
    }
    this.show();
  }

  async submit(name, score, displayScore = "") {
    const [which, value] = this.which;
    const answer = await act(this.base, "ranking", "submit", { [which]: value, name, score, displayScore });
    this.tell("ts-submitted", answer);
    await this.load();
    return answer;
  }

  show() {
    const words = this.words(WORDS);
    const standings = this.#standings;
    if (!standings) return this.shadowRoot.replaceChildren(create("p", { role: "status", text: words.error }));
    const heads = [words.rank, words.name, words.score].map((text) => create("th", { scope: "col", text }));
    const rows = standings.entries.map(({ rank, name, score, displayScore }) => create("tr", {},
      create("th", { scope: "row", text: rank }),
      create("td", {}, create("bdi", { text: name })),
      create("td", {}, create("bdi", { text: displayScore || score }))));
    if (!rows.length) rows.push(create("tr", {}, create("td", { colspan: 3, text: words.empty })));
    this.shadowRoot.replaceChildren(create("table", {},
      create("caption", { dir: "auto", text: standings.title || words.title }),
      create("thead", {}, create("tr", {}, ...heads)),
      create("tbody", {}, ...rows)));
  }
}

define("ranking", Ranking);
