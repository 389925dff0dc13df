// After sign-up: confirm the address, follow people, write a first post. A step that the server does not offer is not shown.

import { at, attempt, el, face, notify } from "../../shared/page.js";
import { picker, setAvatar } from "../../shared/images.js";
import { ROOT } from "../../shared/root.js";
import { isKept, keep, request, requestAsMe, signInAddress } from "../../shared/session.js";
import { digits, submits } from "./accounts.js";

const SUGGESTED = 5;

const social = (method, path, body) => requestAsMe(method, `/social${path}`, body);

function personRow(person, buttons) {
  const name = person.display_name || person.username;
  const button = el("button", { type: "button", className: "quiet", "aria-pressed": "false", "aria-label": `Follow ${name}`, onclick: () => attempt(button, async () => {
    const followed = button.getAttribute("aria-pressed") === "true";
    await social(followed ? "DELETE" : "POST", `/users/${encodeURIComponent(person.username)}/follow`);
    button.setAttribute("aria-pressed", !followed);
    button.textContent = followed ? "Follow" : "Following";
    showProgress();
  }) }, "Follow");
  buttons.push(button);
  return el("li", {}, face({ name, avatar: person.avatar }),
    el("span", {}, el("b", {}, name), el("small", {}, `@${person.username}`)), button);
}

let posted = false;

function showProgress() {
  const left = at("people").querySelectorAll("[aria-pressed=false]").length;
  at("follow-all").hidden = !left;
  const done = posted && !left;
  at("done").textContent = done || posted ? "Go to your feed" : "Skip the rest";
  at("done").classList.toggle("quiet", !posted);
}

async function suggest(me) {
  const { items } = await social("GET", `/search/users/newest?limit=${SUGGESTED + 1}`);
  const others = items.filter((one) => one.username !== me.username).slice(0, SUGGESTED);
  const buttons = [];
  at("people").replaceChildren(...others.map((one) => personRow(one, buttons)));
  at("people-step").hidden = !others.length;
  at("follow-all").addEventListener("click", (event) => attempt(event.currentTarget, async () => {
    for (const button of buttons.filter((one) => one.getAttribute("aria-pressed") === "false")) button.click();
  }));
  at("post-step").hidden = false;
}

function offerPicture(me) {
  const name = me.displayName || me.username || me.email || "?";
  const shown = face({ name, avatar: me.avatar });
  const [choose, input] = picker("Choose a picture", (file) => attempt(choose, async () => {
    if (!(await setAvatar(file))) return;
    const changed = await requestAsMe("GET", "/accounts/me");
    shown.replaceChildren(...face({ name, avatar: changed.avatar }).childNodes);
    notify("Your picture is set.");
  }));
  at("picture").replaceChildren(shown, choose, input);
  at("picture-step").hidden = false;
}

submits("first-post", async ({ content }) => {
  await social("POST", "/posts", { content });
  posted = true;
  at("first-post").replaceChildren(el("p", {}, "Posted. ", el("a", { href: `${ROOT}/social` }, "See it in the feed")));
  at("done").focus();
  showProgress();
});

submits("confirm", async ({ code }) => {
  keep(await requestAsMe("POST", "/accounts/code/verify", { email: at("confirm-to").textContent, code: digits(code) }));
  at("confirm").hidden = true;
  notify("Your address is confirmed.");
});

async function begin() {
  if (!isKept()) return location.replace(signInAddress());
  const me = await requestAsMe("GET", "/accounts/me");
  at("hello").textContent = `Welcome, ${me.displayName || me.firstName || me.username || "and thank you for joining"}!`;
  at("confirm").hidden = !me.email || me.emailVerified;
  at("confirm-to").textContent = me.email || "";
  const wanted = new URLSearchParams(location.search).get("next");
  if (wanted?.startsWith("/") && !wanted.startsWith("//")) at("done").href = wanted;
  await Promise.allSettled([ // both can be switched off
    request("GET", "/images").then(({ accepted }) => accepted && offerPicture(me)),
    me.username && suggest(me),
  ]);
  at("welcome").hidden = false;
  return undefined;
}

begin().catch((problem) => {
  at("welcome").hidden = false;
  notify(problem.message, true);
});
