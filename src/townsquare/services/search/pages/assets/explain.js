// One search as a picture: when each step ran, what its cache had, which texts were compared, how scores came about.

import { el } from "../../shared/page.js";
import { CHANNELS, filmAddress } from "./cards.js";

const STEPS = {
  understanding: "What the query means", names: "Names in it", embeddings: "Vectors of its texts", limits: "What must hold",
  "lexical search": "Words of titles and names", "text search": "Words of texts", facts: "Films of that kind", "vector search": "Nearest texts",
  trending: "What is trending", merge: "All candidates", records: "Their records", "vector scores": "Missing cosines", rerank: "The order",
};
const SHOWN = 10; // films whose scores are drawn
const ms = (number) => `${number < 10 ? number.toFixed(1) : Math.round(number)} ms`;

export function picture(explanation) {
  return [
    el("h2", { id: "explain-heading" }, `How this was found, in ${ms(explanation.answer.took_ms)}`),
    timeline(explanation),
    channels(explanation.channels),
    scores(explanation),
    el("details", {}, el("summary", {}, "Full interpretation"),
      el("pre", { tabIndex: 0 }, el("code", {}, JSON.stringify(explanation.understanding, null, 1)))),
  ].filter(Boolean);
}

function timeline({ steps, answer }) {
  const whole = Math.max(answer.took_ms, ...steps.map((step) => step.began_ms + step.took_ms), 0.001);
  return el("ol", { className: "steps" }, steps.map((step) => {
    const bar = el("i", { "aria-hidden": "true" });
    bar.style.setProperty("--from", `${(100 * step.began_ms) / whole}%`);
    bar.style.setProperty("--share", `${Math.max(0.6, (100 * step.took_ms) / whole)}%`);
    return el("li", {},
      el("span", { className: "name" }, STEPS[step.name] || step.name),
      el("span", { className: "track" }, bar),
      el("span", { className: "took" }, ms(step.took_ms)),
      el("span", { className: "said" },
        step.hits > 0 && el("b", { className: "hit" }, `${step.hits} from cache`),
        step.misses > 0 && el("b", { className: "miss" }, `${step.misses} made`),
        step.found > 0 && `${step.found} found`,
        step.says && ` ${step.says}`));
  }));
}

function channels(used) {
  if (!used.length) return null;
  return el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Texts that were compared" },
    el("table", {},
      el("caption", {}, "Texts that were compared"),
      el("thead", {}, el("tr", {}, ["Channel", "Compared with", "Counts", "Found"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, used.map((use) => el("tr", {},
        el("th", { scope: "row" }, CHANNELS[use.channel]), el("td", {}, use.text), el("td", {}, use.weight.toFixed(2)), el("td", {}, use.found))))));
}

const PARTS = [["lexical", "names"], ["vector", "texts"], ["metadata", "facts"], ["prior", "fame and quality"], ["bonus", "bonus"]];

// The parts add up to the score, so the length of a row of bars is the score.
function scores({ scores: all }) {
  if (!all.length) return null;
  const films = all.slice(0, SHOWN);
  const used = PARTS.filter(([part]) => films.some((film) => film[part]));
  const most = Math.max(...films.map((film) => film.score), 0.001);
  const legend = el("p", { className: "legend" }, used.map(([part, says]) => el("span", {}, el("i", { className: part, "aria-hidden": "true" }), says)));
  return el("div", {},
    el("h3", {}, "How the order came about"), legend,
    el("ol", { className: "scores" }, films.map((film) => {
      const bars = used.filter(([part]) => film[part] > 0).map(([part]) => {
        const bar = el("i", { className: part });
        bar.style.setProperty("--share", `${(100 * film[part]) / most}%`);
        return bar;
      });
      const said = used.map(([part, says]) => `${says} ${film[part].toFixed(2)}`).join(", ");
      return el("li", {},
        el("a", { href: filmAddress(film.id) }, `${film.title} (${film.year})`),
        el("span", { className: "bars", role: "img", "aria-label": said, title: said }, bars),
        el("span", { className: "took" }, film.score.toFixed(2), film.bonus < 0 ? el("small", {}, ` after ${film.bonus.toFixed(2)}`) : null));
    })));
}
