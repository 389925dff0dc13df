// The console: the server renders each view, for admins only; this script shows it and sends its forms.

import { at, ask, attempt, el, notify } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { isKept, requestAsMe, signInAddress } from "../../shared/session.js";

const view = at("view");

const AGAIN = 2_000; // ms, while something runs

async function load() {
  const { html } = await requestAsMe("GET", `/console/views/${view.dataset.view}${location.search}`);
  view.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes); // escaped by the server
  view.setAttribute("aria-busy", "false");
  for (const link of view.querySelectorAll('a[href^="/"]')) link.href = ROOT + link.getAttribute("href");
  for (const time of view.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  if (view.querySelector("[data-runs]")) setTimeout(load, AGAIN);
}

// A form with data-send="METHOD /path" sends its fields as JSON. data-ask is the question before; with data-preview, a
// view shows what would be done. data-save is the name of the file that the response becomes; data-done is the notice.
async function send(form) {
  const [method, path] = form.dataset.send.split(" ");
  const fields = Object.fromEntries(new FormData(form));
  const body = Object.keys(fields).length ? fields : undefined;
  const work = () => requestAsMe(method, path, body);
  const { ask: question, preview, save, done } = form.dataset;
  let answer;
  if (question) {
    const shown = el("div", { className: "preview" });
    if (preview) {
      const { html } = await requestAsMe("GET", preview);
      shown.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    }
    answer = await ask(question, [shown], { action: form.querySelector("button").textContent, bad: true, work });
    if (answer === null) return;
  } else {
    answer = await work();
  }
  if (save) saveAs(save, answer);
  await load();
  notify(done || "Done.");
}

function saveAs(name, value) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

view.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.send) return; // a search: the browser opens the same page with its query
  event.preventDefault();
  attempt(event.submitter ?? form.querySelector("button"), () => send(form));
});

if (isKept()) {
  attempt(null, load);
} else {
  at("sign-in").href = signInAddress();
  at("door").hidden = false;
}
