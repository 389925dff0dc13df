// One film: what is like it, and codes of countries and languages as people say them.

import { at } from "../../shared/page.js";
import { request } from "../../shared/session.js";
import { card } from "./cards.js";

const LIKE_THIS = 6;

for (const kind of ["region", "language"]) {
  const names = new Intl.DisplayNames(["en"], { type: kind });
  for (const place of document.querySelectorAll(`[data-codes="${kind}"]`)) {
    place.textContent = place.textContent.split(", ").map((code) => {
      try {
        return names.of(code);
      } catch {
        return code;
      }
    }).join(", ");
  }
}

try {
  const { items } = await request("POST", "/search/similar", { id: Number(at("movie").dataset.id), limit: LIKE_THIS });
  at("results").replaceChildren(...items.map(card));
  at("similar").hidden = !items.length;
} catch {
  at("similar").hidden = true; // the film itself is what the page is for
}
