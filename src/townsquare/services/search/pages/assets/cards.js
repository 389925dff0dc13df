// A film as a card: poster, title, facts, and why it is here. What people wrote only ever becomes a text node.

import { el } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";

export const CHANNELS = {
  anchor: "everything", plot_events: "plot", plot_analysis: "theme", viewer_experience: "mood", watch_context: "occasion",
  narrative_techniques: "how it is told", production: "making", reception: "reception",
};

export const filmAddress = (id) => `${ROOT}/movies/${id}`;

export function posterAddress(poster) {
  return poster.startsWith("/") ? ROOT + poster : poster;
}

export function length(minutes) {
  if (!minutes || minutes < 60) return minutes ? `${minutes} min` : "";
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

export function card(film) {
  const facts = [film.year, length(film.runtime), film.genres.slice(0, 3).join(", ")].filter(Boolean).join(" · ");
  const image = el("img", { src: posterAddress(film.poster), alt: "", width: 300, height: 450, loading: "lazy" });
  const drawn = `${ROOT}/movie/${film.id}/poster.svg`;
  image.addEventListener("error", () => { if (!image.src.endsWith(drawn)) image.src = drawn; });
  return el("li", { className: "film" },
    el("a", { href: filmAddress(film.id), className: "poster", tabIndex: -1, "aria-hidden": "true" }, image),
    el("div", { className: "about" },
      el("h3", {}, el("a", { href: filmAddress(film.id) }, film.title)),
      el("p", { className: "line" }, facts),
      people(film),
      reasons(film)));
}

function people(film) {
  const parts = [film.directors.length && `by ${film.directors.join(", ")}`, film.cast.length && `with ${film.cast.join(", ")}`].filter(Boolean);
  return parts.length > 0 && el("p", { className: "people" }, parts.join(" · "));
}

// A sentence of the film's own for a match by mood or plot, the rest as small words.
function reasons(film) {
  const line = [String(film.year), `${film.runtime} minutes`, film.genres.join(", ")]; // the card shows these already
  const why = film.why.filter((reason) => reason.kind !== "fact" || !line.includes(reason.text));
  const sentences = why.filter((reason) => reason.kind === "channel");
  const words = why.filter((reason) => reason.kind !== "channel");
  return [
    ...sentences.map((reason) => el("p", { className: "because" }, el("b", {}, `${CHANNELS[reason.channel] || "match"}: `), reason.text)),
    words.length > 0 && el("ul", { className: "words", "aria-label": "Why it matched" }, words.map((reason) => el("li", {}, reason.text))),
  ];
}
