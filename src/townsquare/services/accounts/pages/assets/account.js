import { ask, at, attempt, avatar, el, field, notify, several } from "../../shared/page.js";
import { picker, setAvatar } from "../../shared/images.js";
import { ROOT } from "../../shared/root.js";
import { forget, isKept, keep, noteMe, request, requestAsMe, signInAddress } from "../../shared/session.js";
import { depart } from "../../shared/providers.js";
import { address, call, digits, submits } from "./accounts.js";
import { nameOf } from "./devices.js";

const PROVIDERS = { google: "Google", github: "GitHub" };
const METHODS = { password: "with a password", code: "with a code", google: "with Google", github: "with GitHub", anonymous: "without an account", first_admin: "with the link for the first admin" };

const when = (iso) => new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

let me = null;
let ways = null;

// Who was signed out meanwhile is led to the door.
async function callAsMe(method, path, body) {
  try {
    return await requestAsMe(method, `/accounts${path}`, body);
  } catch (problem) {
    if (problem.status === 401 && !isKept()) location.replace(signInAddress());
    throw problem;
  }
}

// A row of a list: what it is, a smaller line below, and what can be done with it.
function row(title, detail, ...rest) {
  return el("li", {}, el("div", {}, title, detail && el("small", {}, detail)), rest);
}

function action(text, label, work) {
  return el("button", { type: "button", className: "quiet", "aria-label": label, onclick: (event) => attempt(event.target, work) }, text);
}

function clicks(id, work) {
  at(id).addEventListener("click", () => attempt(at(id), work));
}

function showMe(user) {
  me = user;
  noteMe(user);
  at("name").textContent = user.displayName || user.username || user.firstName || user.email || user.phone || "Your account";
  at("face").replaceChildren(avatar(at("name").textContent, user.avatar));
  at("remove-picture")?.toggleAttribute("hidden", !user.avatar);
  at("since").textContent = `Member since ${new Date(user.createdAt).toLocaleDateString(undefined, { dateStyle: "long" })}`;
  for (const name of ["username", "displayName", "email", "phone"]) at("profile").elements[name].value = user[name] || "";
  showState("email", user.email, user.emailVerified, user.pendingEmail);
  showState("phone", user.phone, user.phoneVerified, user.pendingPhone);
  const unconfirmed = [!user.emailVerified && user.email, !user.phoneVerified && user.phone];
  const waiting = [user.pendingEmail, user.pendingPhone, ...unconfirmed].find(Boolean) || "";
  at("confirm").hidden = !waiting;
  at("confirm-to").textContent = waiting;
  at("current").hidden = !user.hasPassword;
  at("password").elements.current.required = user.hasPassword;
  at("password").elements.name.value = user.email || user.username || "";
  showWays();
}

function showState(name, value, verified, pending) {
  const state = at(`${name}-state`);
  state.textContent = value ? (verified ? "· confirmed" : "· not confirmed yet") : "";
  if (pending) state.textContent += `, until ${pending} is`;
  state.classList.toggle("good", verified);
}

function showWays() {
  const rows = [row("Password", me.hasPassword ? "set" : "not set yet")];
  for (const [provider, name] of Object.entries(PROVIDERS)) {
    const linked = me.linkedProviders.includes(provider);
    if (linked) rows.push(row(name, "linked", action("Unlink", `Unlink ${name}`, () => unlink(provider))));
    else if (ways[provider]) rows.push(row(name, "not linked", action("Link", `Link ${name}`, () => depart(provider, { link: true }))));
  }
  at("ways").replaceChildren(...rows);
}

async function unlink(provider) {
  showMe(await callAsMe("DELETE", `/me/providers/${provider}`));
}

async function showSessions() {
  const { sessions } = await callAsMe("GET", "/me/sessions");
  at("sessions").replaceChildren(
    ...sessions.map((session) => {
      const device = nameOf(session.user_agent);
      const detail = `${METHODS[session.method] || ""} from ${session.ip || "somewhere"}, last used ${when(session.last_used)}`;
      const mark = session.current && el("span", { className: "badge" }, "this one");
      const end = !session.current && action("Sign out", `Sign out ${device}`, () => endSession(session.id));
      return row(el("span", { title: session.user_agent }, device), detail, mark, end);
    }),
  );
  at("end-others").hidden = sessions.length < 2;
}

async function endSession(id) {
  await callAsMe("DELETE", `/me/sessions/${id}`);
  await showSessions();
  notify("That session has ended.");
}

clicks("end-others", async () => {
  const { ended } = await callAsMe("DELETE", "/me/sessions", { keepCurrent: true });
  await showSessions();
  notify(`Signed out of ${ended} other ${several(ended, "session")}.`);
});

submits("profile", async (given) => {
  const changes = {};
  for (const [name, value] of Object.entries(given)) if (value.trim() !== (me[name] || "")) changes[name] = value.trim() || null;
  if (!Object.keys(changes).length) return notify("Nothing has changed.");
  showMe(await callAsMe("PATCH", "/me", { ...changes, version: me.version }));
  const waits = changes.email && changes.email === me.pendingEmail;
  return notify(waits ? "The new address counts as soon as you confirm it." : "Saved.");
});

submits("confirm", async ({ code }) => {
  const answer = await callAsMe("POST", "/code/verify", { ...address(at("confirm-to").textContent), code: digits(code) });
  showMe(keep(answer));
  at("confirm").reset();
  await showSessions();
  notify("Confirmed.");
});

clicks("confirm-send", async () => {
  await call("POST", "/code/send", address(at("confirm-to").textContent));
  at("confirm").elements.code.focus();
  notify("A code is on its way.");
});

submits("password", async (given) => {
  const body = { newPassword: given.new, currentPassword: given.current };
  showMe(keep(await callAsMe("PUT", "/me/password", body)));
  at("password").reset();
  await showSessions();
  notify("Your password is set. Every other session has ended.");
});

clicks("export", async () => {
  const data = await callAsMe("GET", "/me/export");
  const file = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  el("a", { href: file, download: "townsquare-account.json" }).click();
  URL.revokeObjectURL(file);
  notify("Your data was exported.");
});

clicks("delete", async () => {
  const word = el("input", { name: "word", autocomplete: "off", autocapitalize: "none", pattern: "\\s*[dD][eE][lL][eE][tT][eE]\\s*", required: true });
  const sure = await ask(
    "Delete your account?",
    [
      el("p", {}, "Your profile and everything that leads to it goes. Export your data first if you want to keep it."),
      field(["Type ", el("kbd", {}, "delete"), " to confirm"], word),
    ],
    { action: "Delete it", cancel: "Keep it", bad: true },
  );
  if (!sure) return;
  await callAsMe("DELETE", "/me");
  forget();
  at("account").hidden = true;
  at("gone").hidden = false;
  at("gone").focus();
});

clicks("leave", async () => {
  await callAsMe("POST", "/logout");
  forget();
  location.replace(`${ROOT}/accounts/sign-in`);
});

function offerPictures() {
  const [choose, input] = picker("Change picture", (file) => attempt(choose, async () => {
    if (!(await setAvatar(file))) return;
    showMe(await callAsMe("GET", "/me"));
    notify("Your picture is changed.");
  }));
  const remove = el("button", { type: "button", className: "quiet", id: "remove-picture", onclick: () => attempt(remove, async () => {
    await requestAsMe("DELETE", "/images/avatar");
    showMe(await callAsMe("GET", "/me"));
    notify("Your picture is removed.");
  }) }, "Remove picture");
  at("picture").replaceChildren(choose, input, remove);
  at("picture").hidden = false;
}

async function begin() {
  if (!isKept()) return location.replace(signInAddress());
  ways = await call("GET", "/ways");
  request("GET", "/images").then(({ accepted }) => accepted && offerPictures()).catch(() => {}); // switched off
  showMe(await callAsMe("GET", "/me"));
  await showSessions();
  at("account").hidden = false;
  return undefined;
}

begin().catch((problem) => {
  if (!isKept()) return; // on the way to the door
  at("account").hidden = false;
  notify(problem.message, true);
});
