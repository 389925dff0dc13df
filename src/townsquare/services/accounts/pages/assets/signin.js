import { at, attempt, notify } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { isKept, keep, requestAsMe } from "../../shared/session.js";
import { arrival, depart, departed, proofIn } from "../../shared/providers.js";
import { address, call, digits, given, submitOf, submits } from "./accounts.js";

const NEXT = "townsquare.next";
const ACCOUNT = `${ROOT}/accounts/account`;
const WELCOME = `${ROOT}/accounts/welcome`;

const tabs = [...document.querySelectorAll("[role=tab]")];
const forms = [...document.querySelectorAll("form")];

function show(id) {
  for (const form of forms) form.hidden = form.id !== id;
  for (const tab of tabs) {
    const chosen = tab.getAttribute("aria-controls") === id;
    tab.setAttribute("aria-selected", chosen);
    tab.tabIndex = chosen || (id === "forgot" && tab === tabs[0]) ? 0 : -1;
  }
  notify("");
}

function next() {
  const wanted = new URLSearchParams(location.search).get("next") || sessionStorage.getItem(NEXT) || "";
  sessionStorage.removeItem(NEXT);
  try {
    const place = new URL(wanted || ACCOUNT, location.origin);
    if (place.origin === location.origin) return place.href;
  } catch {
    // not an address: the account page will do
  }
  return ACCOUNT;
}

function enter(answer) {
  keep(answer);
  location.replace(next());
}

// Forms that send a code first and take it second.
function inTwoSteps(id, { send, use, label, told }) {
  const form = submits(id, async (words) => {
    if (form.dataset.sent) return enter(await use(words));
    await send(words);
    form.dataset.sent = "yes";
    for (const field of form.querySelectorAll("[data-step='2']")) {
      field.hidden = false;
      field.querySelector("input").required = true;
    }
    form.elements.to.readOnly = true;
    submitOf(form).textContent = label;
    form.querySelector("[data-again]")?.removeAttribute("hidden");
    form.elements.code.focus();
    return notify(told);
  });
  form.querySelector("[data-again]")?.addEventListener("click", (event) => {
    attempt(event.target, async () => {
      await send(given(form));
      form.elements.code.value = "";
      form.elements.code.focus();
      notify("The code is on its way again. If nothing comes, use the one in the newest message.");
    });
  });
}

submits("password", async ({ login, password }) => enter(await call("POST", "/login", { login: login.trim(), password })));
submits("signup", async ({ email, username, displayName, password }) => {
  const given = Object.entries({ email, username, displayName, password }).filter(([, value]) => value.trim());
  keep(await call("POST", "/signup", Object.fromEntries(given)));
  const wanted = next();
  location.replace(wanted === ACCOUNT ? WELCOME : `${WELCOME}?${new URLSearchParams({ next: new URL(wanted).pathname + new URL(wanted).search })}`);
});

// A username is suggested from the name until one is typed.
const signup = at("signup").elements;
signup.displayName.addEventListener("input", () => {
  if (signup.username.dataset.typed) return;
  signup.username.value = signup.displayName.value.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").trim().toLowerCase().replace(/\s+/g, "_").replace(/[^a-z0-9_.-]/g, "").slice(0, 30);
});
signup.username.addEventListener("input", () => { signup.username.dataset.typed = signup.username.value; });
inTwoSteps("code", {
  label: "Sign in",
  told: "A code is on its way. It works once, for ten minutes.",
  send: ({ to }) => call("POST", "/code/send", address(to)),
  use: ({ to, code }) => call("POST", "/code/verify", { ...address(to), code: digits(code) }),
});
inTwoSteps("forgot", {
  label: "Set the new password",
  told: "If an account has this address, a code is on its way. It works once, for ten minutes.",
  send: ({ to }) => call("POST", "/password/forgot", address(to)),
  use: ({ to, code, password }) => call("POST", "/password/reset", { ...address(to), code: digits(code), password }),
});

for (const tab of tabs) {
  tab.addEventListener("click", (event) => {
    event.preventDefault();
    show(tab.getAttribute("aria-controls"));
  });
  tab.addEventListener("keydown", (event) => {
    if (event.key === " ") {
      event.preventDefault();
      tab.click();
    }
    const here = tabs.indexOf(tab);
    const place = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[event.key];
    if (place === undefined) return;
    event.preventDefault();
    const other = tabs.at(place % tabs.length);
    show(other.getAttribute("aria-controls"));
    other.focus();
  });
}
// Whoever was quicker than this script has chosen by the link alone.
function showLinked() {
  const chosen = tabs.find((tab) => tab.hash === location.hash);
  if (!chosen) return;
  show(chosen.getAttribute("aria-controls"));
  history.replaceState(null, "", location.pathname + location.search);
}
addEventListener("hashchange", showLinked);
showLinked();

for (const link of document.querySelectorAll("[data-show]")) {
  link.addEventListener("click", () => {
    show(link.dataset.show);
    at(link.dataset.show).querySelector("input").focus();
  });
}
for (const button of document.querySelectorAll("[data-provider]")) {
  button.addEventListener("click", () => {
    attempt(button, async () => {
      sessionStorage.setItem(NEXT, new URLSearchParams(location.search).get("next") || "");
      await depart(button.dataset.provider);
    });
  });
}

// It leaves the address bar at once. Answers whether it opened the door.
async function comeBack(back) {
  const left = departed();
  history.replaceState(null, "", location.pathname);
  return attempt(null, async () => {
    const proof = proofIn(back, left);
    if (left.link) {
      await requestAsMe("PUT", `/accounts/me/providers/${left.provider}`, proof);
      location.replace(ACCOUNT);
    } else {
      enter(await call("POST", `/${left.provider}`, proof));
    }
    return true;
  });
}

async function begin() {
  const back = arrival();
  if (back && (await comeBack(back))) return;
  if (!back && isKept()) {
    location.replace(next());
    return;
  }
  const ways = await call("GET", "/ways");
  for (const button of document.querySelectorAll("[data-provider]")) button.hidden = !ways[button.dataset.provider];
  at("providers").hidden = !(ways.google || ways.github);
}

begin().catch((problem) => notify(problem.message, true));
