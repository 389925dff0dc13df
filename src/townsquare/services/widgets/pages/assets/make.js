// The page where a person makes a widget, sees it live and copies the line for their own page.

import { ROOT } from "../../shared/root.js";

const HOME = location.origin + ROOT;
const PATHS = { counter: "visit", like: "like", ranking: "ranking", bbs: "bbs" };
const MADE_WITH = {
  counter: ["timezone"], like: ["icon", "timezone"], ranking: ["title", "sortOrder", "maxEntries"], bbs: ["title", "maxMessages", "icons"],
};
const SHOWN_WITH = { counter: ["type", "theme", "digits", "lang"], like: ["theme", "digits", "lang"], ranking: ["theme", "lang"], bbs: ["theme", "lang"] };
const USUAL = { type: "total", theme: "light", lang: "" };

const form = document.getElementById("make");
const told = document.getElementById("told");
const made = document.getElementById("made");
let widget = null;

const kind = () => form.elements.kind.value;
const given = (names) => Object.fromEntries(
  names.map((name) => [name, form.elements[name].value.trim()]).filter(([name, value]) => value && value !== USUAL[name]));
const attribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const written = (attributes) => Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value)}"`).join("");

function showFields() {
  for (const field of form.querySelectorAll("[data-for]")) field.hidden = !field.dataset.for.split(" ").includes(kind());
}

function say(text, bad) {
  told.textContent = text;
  told.classList.toggle("bad", bad);
}

function plainSnippet({ kind, id }, attributes) {
  const { lang, ...look } = attributes;
  const address = (action) => `${HOME}/widgets/${PATHS[kind]}?${new URLSearchParams({ action, id, format: "image", ...look })}`;
  const page = `${HOME}/widgets/${PATHS[kind]}/${id}`;
  if (kind === "counter") return `<img src="${attribute(address("increment"))}" alt="visits">`;
  return `<a href="${attribute(page)}"><img src="${attribute(address("get"))}" alt="${kind}"></a>`;
}

async function showWidget() {
  if (!widget || widget.kind !== kind()) return;
  const attributes = given(SHOWN_WITH[widget.kind]);
  await import(`../../components/${widget.kind}.js`);
  const element = document.createElement(`ts-${widget.kind}`);
  for (const [name, value] of Object.entries({ id: widget.id, ...attributes })) element.setAttribute(name, value);
  document.getElementById("live").replaceChildren(element);
  document.getElementById("snippet").textContent =
    `<script type="module" src="${HOME}/components/${widget.kind}.js"></script>\n<ts-${widget.kind}${written({ id: widget.id, ...attributes })}></ts-${widget.kind}>`;
  document.getElementById("plain").textContent = plainSnippet(widget, attributes);
  document.getElementById("themes").href = `${ROOT}/widgets/demo?${new URLSearchParams({ kind: widget.kind, id: widget.id })}`;
  made.hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wanted = kind();
  say("…", false);
  try {
    const body = new URLSearchParams({ action: "create", url: form.elements.url.value.trim(), token: form.elements.token.value, ...given(MADE_WITH[wanted]) });
    const answer = await (await fetch(`${ROOT}/widgets/${PATHS[wanted]}`, { method: "POST", body })).json();
    if (!answer.success) throw new Error(answer.error);
    widget = { kind: wanted, id: answer.data.id };
    await showWidget();
    say(`Made: ${widget.id}`, false);
  } catch (problem) {
    say(problem.message, true);
  }
});

form.addEventListener("change", (event) => {
  if (event.target.name === "kind") {
    showFields();
    made.hidden = widget?.kind !== kind();
  }
  showWidget();
});

document.getElementById("invent").addEventListener("click", () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  form.elements.token.value = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say("Copied", false);
    } catch {
      getSelection().selectAllChildren(source);
      say("Press Ctrl+C to copy", false);
    }
  });
}

showFields();
