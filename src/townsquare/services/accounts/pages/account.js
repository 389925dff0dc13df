import { address, ask, askAsMe, attempt, claimTab, digits, forget, isKept, keep, notify } from "./session.js";

const DEPARTED = "townsquare.departed";
const PROVIDERS = { google: "Google", github: "GitHub" };
const METHODS = { password: "with a password", code: "with a code", google: "with Google", github: "with GitHub", anonymous: "without an account" };

const at = (id) => document.getElementById(id);
const when = (iso) => new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

let me = null;
let ways = null;

function made(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text, ...properties });
}

// A row of a list: what it is, a smaller line below, and what can be done with it.
function row(title, detail, ...rest) {
  const words = made("div", title);
  if (detail) words.append(made("small", detail));
  const item = made("li", "");
  item.append(words, ...rest.filter(Boolean));
  return item;
}

function action(text, label, work) {
  const button = made("button", text, { type: "button", className: "quiet", ariaLabel: label });
  button.addEventListener("click", () => act(button, work));
  return button;
}

async function act(button, work) {
  try {
    return await attempt(button, work);
  } catch (problem) {
    if (problem.status === 401 && !isKept()) signInAgain();
    return undefined;
  }
}

function signInAgain() {
  location.replace(`/accounts/sign-in?next=${encodeURIComponent(location.pathname)}`);
}

function showMe(user) {
  me = user;
  at("name").textContent = user.firstName || user.username || user.email || user.phone || "Your account";
  at("since").textContent = `Member since ${new Date(user.createdAt).toLocaleDateString(undefined, { dateStyle: "long" })}`;
  for (const name of ["username", "firstName", "email", "phone"]) at("profile").elements[name].value = user[name] || "";
  showState("email", user.email, user.emailVerified);
  showState("phone", user.phone, user.phoneVerified);
  const waiting = user.email && !user.emailVerified ? user.email : user.phone && !user.phoneVerified ? user.phone : "";
  at("confirm").hidden = !waiting;
  at("confirm-to").textContent = waiting;
  at("current").hidden = !user.hasPassword;
  at("password").elements.current.required = user.hasPassword;
  at("password").elements.name.value = user.email || user.username || "";
  showWays();
}

function showState(name, value, verified) {
  const state = at(`${name}-state`);
  state.textContent = value ? (verified ? "· confirmed" : "· not confirmed yet") : "";
  state.classList.toggle("good", verified);
}

function showWays() {
  const rows = [row("Password", me.hasPassword ? "set" : "not set yet")];
  for (const [provider, name] of Object.entries(PROVIDERS)) {
    const linked = me.linkedProviders.includes(provider);
    if (linked) rows.push(row(name, "linked", action("Unlink", `Unlink ${name}`, () => unlink(provider))));
    else if (ways[provider]) rows.push(row(name, "not linked", action("Link", `Link ${name}`, () => link(provider))));
  }
  at("ways").replaceChildren(...rows);
}

async function unlink(provider) {
  showMe(await askAsMe("DELETE", `/me/providers/${provider}`));
}

async function link(provider) {
  const departure = await ask("POST", `/${provider}/start`, {});
  sessionStorage.setItem(DEPARTED, JSON.stringify({ provider, state: departure.state, link: true }));
  location.assign(departure.url);
}

async function showSessions() {
  const { sessions } = await askAsMe("GET", "/me/sessions");
  at("sessions").replaceChildren(
    ...sessions.map((session) => {
      const device = session.user_agent || "An unknown device";
      const detail = `${METHODS[session.method] || ""} from ${session.ip || "somewhere"}, last used ${when(session.last_used)}`;
      const mark = session.current && made("span", "this one", { className: "badge" });
      const end = !session.current && action("Sign out", `Sign out ${device}`, () => endSession(session.id));
      return row(device, detail, mark, end);
    }),
  );
  at("end-others").hidden = sessions.length < 2;
}

async function endSession(id) {
  await askAsMe("DELETE", `/me/sessions/${id}`);
  await showSessions();
  notify("That session has ended.");
}

at("end-others").addEventListener("click", (event) =>
  act(event.target, async () => {
    const { ended } = await askAsMe("DELETE", "/me/sessions", { keepCurrent: true });
    await showSessions();
    notify(`Signed out of ${ended} other session${ended === 1 ? "" : "s"}.`);
  }),
);

function submits(id, work) {
  at(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act(at(id).querySelector("button:not([type])"), () => work(Object.fromEntries(new FormData(at(id)))));
  });
}

submits("profile", async (given) => {
  const changes = {};
  for (const [name, value] of Object.entries(given)) if (value.trim() !== (me[name] || "")) changes[name] = value.trim() || null;
  if (!Object.keys(changes).length) return notify("Nothing has changed.");
  showMe(await askAsMe("PATCH", "/me", { ...changes, version: me.version }));
  return notify("Saved.");
});

submits("confirm", async ({ code }) => {
  const answer = await askAsMe("POST", "/code/verify", { ...address(at("confirm-to").textContent), code: digits(code) });
  showMe(keep(answer));
  at("confirm").reset();
  await claimTab();
  await showSessions();
  notify("Confirmed.");
});

at("confirm-send").addEventListener("click", (event) =>
  act(event.target, async () => {
    await ask("POST", "/code/send", address(at("confirm-to").textContent));
    at("confirm").elements.code.focus();
    notify("A code is on its way.");
  }),
);

submits("password", async (given) => {
  const body = { newPassword: given.new, currentPassword: given.current };
  showMe(keep(await askAsMe("PUT", "/me/password", body)));
  at("password").reset();
  await claimTab();
  await showSessions();
  notify("Your password is set. Every other session has ended.");
});

at("export").addEventListener("click", (event) =>
  act(event.target, async () => {
    const data = await askAsMe("GET", "/me/export");
    const file = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
    made("a", "", { href: file, download: "townsquare-account.json" }).click();
    URL.revokeObjectURL(file);
    notify("Your data was exported.");
  }),
);

at("delete").addEventListener("click", () => {
  at("sure").querySelector("form").reset();
  at("sure").returnValue = "";
  at("sure").showModal();
});
at("sure").addEventListener("close", () => {
  if (at("sure").returnValue !== "delete") return;
  act(at("delete"), async () => {
    await askAsMe("DELETE", "/me");
    forget();
    at("account").hidden = true;
    at("gone").hidden = false;
  });
});

at("leave").addEventListener("click", (event) =>
  act(event.target, async () => {
    await askAsMe("POST", "/logout");
    forget();
    location.replace("/accounts/sign-in");
  }),
);

async function begin() {
  await claimTab();
  if (!isKept()) return signInAgain();
  ways = await ask("GET", "/ways");
  showMe(await askAsMe("GET", "/me"));
  await showSessions();
  at("account").hidden = false;
  return undefined;
}

begin().catch((problem) => {
  if (problem.status === 401) return signInAgain();
  at("account").hidden = false;
  return notify(problem.message, true);
});
