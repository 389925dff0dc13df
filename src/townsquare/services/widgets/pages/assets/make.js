// The page where a person makes a widget: a preview from the first moment, then the line for their own page.

import { at } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { escaped, offerCopies, say } from "../../shared/snippets.js";
import { answerSamples, SAMPLE } from "./sample.js";

const HOME = location.origin + ROOT;
const PATHS = { counter: "visit", like: "like", ranking: "ranking", bbs: "bbs" };
const MADE_WITH = {
  counter: ["timezone"], like: ["icon", "timezone"], ranking: ["title", "sortOrder", "maxEntries"], bbs: ["title", "maxMessages", "icons"],
};
const SHOWN_WITH = { counter: ["type", "theme", "digits", "lang"], like: ["theme", "digits", "lang"], ranking: ["theme", "lang"], bbs: ["theme", "lang"] };
const USUAL = { type: "total", theme: "light", lang: "" };

const form = at("make");
const made = {}; // ids, by kind

const value = (name) => form.elements[name].value.trim();
const given = (names) => Object.fromEntries(names.map((name) => [name, value(name)]).filter(([name, text]) => text && text !== USUAL[name]));
const written = (attributes) => Object.entries(attributes).map(([name, text]) => ` ${name}="${escaped(text)}"`).join("");

function showFields() {
  for (const field of form.querySelectorAll("[data-for]")) field.hidden = !field.dataset.for.split(" ").includes(value("kind"));
  if (form.querySelector("[name=theme]:checked").closest("label").hidden) form.elements.theme.value = USUAL.theme;
}

function plainSnippet(kind, id, attributes) {
  const { lang, ...look } = attributes;
  const address = (action) => `${HOME}/widgets/${PATHS[kind]}?${new URLSearchParams({ action, id, format: "image", ...look })}`;
  const page = `${HOME}/widgets/${PATHS[kind]}/${id}${look.theme ? `?theme=${look.theme}` : ""}`;
  if (kind === "counter") return `<img src="${escaped(address("increment"))}" alt="visits">`;
  return `<a href="${escaped(page)}"><img src="${escaped(address("get"))}" alt="${kind}"></a>`;
}

// The widget as it will look or, once it is made, the widget itself.
async function show() {
  const kind = value("kind");
  const id = made[kind];
  const attributes = given(SHOWN_WITH[kind]);
  await import(`../../components/modules/${kind}.js`);
  if (kind !== value("kind")) return; // another was chosen meanwhile
  const element = document.createElement(`ts-${kind}`);
  for (const [name, text] of Object.entries(id ? { id, ...attributes } : { id: SAMPLE, "api-base": SAMPLE, ...attributes })) element.setAttribute(name, text);
  at("live").replaceChildren(element);
  at("preview-heading").textContent = id ? "Live" : "Preview";
  at("made").hidden = !id;
  if (!id) return;
  at("snippet").textContent = `<script type="module" src="${HOME}/components/${kind}.js"></script>\n<ts-${kind}${written({ id, ...attributes })}></ts-${kind}>`;
  at("plain").textContent = plainSnippet(kind, id, attributes);
  at("themes").href = `${ROOT}/widgets/demo?${new URLSearchParams({ kind, id })}`;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const kind = value("kind");
  say(at("result"), "…");
  try {
    const body = new URLSearchParams({ action: "create", url: value("url"), token: form.elements.token.value, ...given(MADE_WITH[kind]) });
    const answer = await (await fetch(`${ROOT}/widgets/${PATHS[kind]}`, { method: "POST", body })).json();
    if (!answer.success) throw new Error(answer.error);
    made[kind] = answer.data.id;
    at("owner").textContent = form.elements.token.value;
    await show();
    say(at("result"), `Created: ${answer.data.id}`);
    at("made").focus();
  } catch (problem) {
    say(at("result"), problem.message, true);
  }
});

form.addEventListener("input", (event) => {
  if (event.target.name === "kind") {
    showFields();
    say(at("result"), "");
  }
  if (!["url", "token"].includes(event.target.name)) show();
});

at("generate").addEventListener("click", () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  form.elements.token.value = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
});

offerCopies();
answerSamples(value);
showFields();
await show();
