// The page where an administrator makes a site: a preview from the first moment, then the line for the site's pages.

import { at, attempt, el } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { isKept, request, requestAsMe } from "../../shared/session.js";
import { escaped, offerCopies, say } from "../../shared/snippets.js";
import { answerSamples, SAMPLE } from "./sample.js";

const HOME = location.origin + ROOT;
const LOOKS = ["theme", "lang", "sort"];
const form = at("make");
let made = null;

const value = (name) => form.elements[name].value.trim();
const looks = () => Object.fromEntries(LOOKS.map((name) => [name, value(name)]).filter(([, text]) => text));

// The comments as they will look or, once the site is made, its comments.
function show() {
  const given = made ? { site: made.api_key_public, url: `https://${made.domain}/` } : { site: SAMPLE, "api-base": SAMPLE };
  const element = el("ts-comments");
  for (const [name, text] of Object.entries({ ...given, ...looks() })) element.setAttribute(name, text);
  at("live").replaceChildren(element);
  at("preview-heading").textContent = made ? "Live" : "Preview";
  if (!made) return;
  const written = Object.entries({ site: made.api_key_public, ...looks() }).map(([name, text]) => ` ${name}="${escaped(text)}"`).join("");
  at("snippet").textContent = `<script type="module" src="${HOME}/components/comments.js"></script>\n<ts-comments${written}></ts-comments>`;
}

const moderationOf = (key) => `${ROOT}/threads/moderation?site=${encodeURIComponent(key)}`;

const asAdmin = (method, body, query = "") => {
  const token = value("token");
  const path = `/threads/v1/sites${query}`;
  return token ? request(method, path, body, { token }) : requestAsMe(method, path, body);
};

async function list(cursor = null) {
  const { items, next } = await asAdmin("GET", undefined, cursor ? `?${new URLSearchParams({ cursor })}` : "");
  if (!cursor) at("rows").replaceChildren();
  at("rows").append(...items.map((site) => el("li", {}, el("b", { dir: "auto" }, site.name), el("span", {}, site.domain),
    el("a", { href: moderationOf(site.api_key_public), "aria-label": `Moderate ${site.name}` }, "Moderate"))));
  at("sites").hidden = !at("rows").hasChildNodes();
  at("more").hidden = !next;
  at("more").onclick = () => attempt(at("more"), () => list(next));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  say(at("result"), "…");
  try {
    made = await asAdmin("POST", { name: value("name"), domain: value("domain") });
  } catch (problem) {
    const isClosed = [401, 403].includes(problem.status);
    return say(at("result"), isClosed ? "Only an administrator of this server makes sites: sign in as one, or enter the admin token." : problem.message, true);
  }
  at("secret").textContent = made.api_key_secret;
  at("moderate").href = moderationOf(made.api_key_public);
  at("made").hidden = false;
  show();
  say(at("result"), `Created: ${made.name}`);
  at("made").focus();
  at("made").scrollIntoView({ block: "nearest" });
  return list().catch(() => {});
});

form.addEventListener("input", (event) => {
  if (LOOKS.includes(event.target.name)) show();
});

offerCopies();
answerSamples();
show();
if (isKept()) list().catch(() => {}); // who is no administrator sees no list
