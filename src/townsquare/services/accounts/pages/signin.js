import { address, ask, askAsMe, attempt, claimTab, digits, isKept, keep, notify } from "./session.js";

const DEPARTED = "townsquare.departed"; // which provider we went to, the state, and what for
const NEXT = "townsquare.next";

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
    const place = new URL(wanted || "/accounts/account", location.origin);
    if (place.origin === location.origin) return place.href;
  } catch {
    // not an address: the account page will do
  }
  return "/accounts/account";
}

function enter(answer) {
  keep(answer);
  location.replace(next());
}

function submits(id, work) {
  const form = document.getElementById(id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    attempt(form.querySelector("button:not([type])"), () => work(given, form)).catch(() => {});
  });
  return form;
}

// Forms that send a code first and take it second.
function inTwoSteps(id, { send, use, label, told }) {
  const form = submits(id, async (given) => {
    if (form.dataset.sent) return enter(await use(given));
    await send(given);
    form.dataset.sent = "yes";
    for (const field of form.querySelectorAll("[data-step='2']")) {
      field.hidden = false;
      field.querySelector("input").required = true;
    }
    form.elements.to.readOnly = true;
    form.querySelector("button:not([type])").textContent = label;
    form.querySelector("[data-again]")?.removeAttribute("hidden");
    form.elements.code.focus();
    notify(told);
  });
  form.querySelector("[data-again]")?.addEventListener("click", (event) => {
    const given = Object.fromEntries(new FormData(form));
    attempt(event.target, async () => {
      await send(given);
      form.elements.code.value = "";
      form.elements.code.focus();
      notify("Another code is on its way; the one before does not work any more.");
    }).catch(() => {});
  });
}

submits("password", async ({ login, password }) => enter(await ask("POST", "/login", { login: login.trim(), password })));
submits("signup", async ({ email, username, password }) => {
  const profile = username ? { email, username } : { email };
  enter(await ask("POST", "/signup", { ...profile, password }));
});
inTwoSteps("code", {
  label: "Sign in",
  told: "A code is on its way. It works once, for ten minutes.",
  send: ({ to }) => ask("POST", "/code/send", address(to)),
  use: ({ to, code }) => ask("POST", "/code/verify", { ...address(to), code: digits(code) }),
});
inTwoSteps("forgot", {
  label: "Set the new password",
  told: "If an account has this address, a code is on its way. It works once, for ten minutes.",
  send: ({ to }) => ask("POST", "/password/forgot", address(to)),
  use: ({ to, code, password }) => ask("POST", "/password/reset", { ...address(to), code: digits(code), password }),
});

for (const tab of tabs) {
  tab.addEventListener("click", () => show(tab.getAttribute("aria-controls")));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const other = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    show(other.getAttribute("aria-controls"));
    other.focus();
  });
}
for (const link of document.querySelectorAll("[data-show]")) {
  link.addEventListener("click", () => {
    show(link.dataset.show);
    document.getElementById(link.dataset.show).querySelector("input").focus();
  });
}
for (const button of document.querySelectorAll("[data-provider]")) {
  button.addEventListener("click", () => {
    attempt(button, async () => {
      const provider = button.dataset.provider;
      const departure = await ask("POST", `/${provider}/start`, {});
      sessionStorage.setItem(DEPARTED, JSON.stringify({ provider, state: departure.state, link: false }));
      sessionStorage.setItem(NEXT, new URLSearchParams(location.search).get("next") || "");
      location.assign(departure.url);
    }).catch(() => {});
  });
}

// What a provider sent back: GitHub in the query, Google behind the #. Both leave the address bar at once.
async function comeBack() {
  const back = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search);
  const departed = JSON.parse(sessionStorage.getItem(DEPARTED) || "null");
  if (!back.has("state")) return false;
  sessionStorage.removeItem(DEPARTED);
  history.replaceState(null, "", location.pathname);
  if (!departed || departed.state !== back.get("state")) {
    notify("This sign-in was not started here. Try again.", true);
    return true;
  }
  if (back.has("error")) {
    notify("You were not signed in there.", true);
    return true;
  }
  const given =
    departed.provider === "google" ? { id_token: back.get("id_token") } : { code: back.get("code"), state: back.get("state") };
  await attempt(null, async () => {
    if (departed.link) {
      await claimTab();
      await askAsMe("PUT", `/me/providers/${departed.provider}`, given);
      location.replace("/accounts/account");
    } else {
      enter(await ask("POST", `/${departed.provider}`, given));
    }
  }).catch(() => {});
  return true;
}

async function begin() {
  if (await comeBack()) return;
  if (isKept()) {
    location.replace(next());
    return;
  }
  const ways = await ask("GET", "/ways");
  for (const button of document.querySelectorAll("[data-provider]")) button.hidden = !ways[button.dataset.provider];
  document.getElementById("providers").hidden = !(ways.google || ways.github);
}

begin().catch((problem) => notify(problem.message, true));
