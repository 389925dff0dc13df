// What is asked in a dialog: signing in, whether to delete, what is wrong with a comment.

import { attempt, button, create, field } from "./dom.js";

// Answers true when the work was done, false when the dialog was closed. The browser gives the focus back.
export function ask(host, title, fields, action, work, bad = false) {
  const { dialog, words } = host;
  const wrong = create("p", { class: "wrong", role: "alert" });
  const submit = create("button", { text: action, class: bad ? "main bad" : "main" });
  let done = false;
  const form = create("form", {
    onsubmit: (event) => {
      event.preventDefault();
      wrong.textContent = "";
      attempt(submit, async () => {
        if ((await work(Object.fromEntries(new FormData(form)))) === false) return;
        done = true;
        dialog.close();
      }, (message) => (wrong.textContent = message));
    },
  }, create("h3", { text: title, id: "asked" }), ...fields, wrong,
  create("div", { class: "row" }, button(words.cancel, () => dialog.close(), { class: "quiet" }), submit));
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(done), { once: true }));
}

const input = (name, attributes = {}) => create("input", { name, required: true, ...attributes });

// One way in at a time, chosen above; a code is sent first and entered second.
export async function signIn(host) {
  const { client, words } = host;
  const ways = host.methods;
  if (!ways.length) return false;
  let way = ways[0];
  let sent = "";
  const panel = create("div");
  const choices = create("div", { class: "ways", role: "group", "aria-label": words.signIn }, ...ways.map((one) =>
    button(words.ways[one], () => {
      client.leave?.();
      way = one;
      sent = "";
      show();
      if (isElsewhere()) choices.closest("form").requestSubmit();
    }, { "data-way": one })));
  const isElsewhere = () => ["google", "github"].includes(way);
  const submit = () => host.dialog.querySelector(".main");

  function show() {
    for (const choice of choices.children) choice.setAttribute("aria-pressed", choice.dataset.way === way);
    panel.replaceChildren(...{
      code: () => [
        field(words.email, input("email", { type: "email", autocomplete: "email", readonly: Boolean(sent) })),
        sent && field(words.code, input("code", { inputmode: "numeric", autocomplete: "one-time-code", maxlength: 12 })),
      ],
      password: () => [
        field(words.login, input("login", { autocomplete: "username", autocapitalize: "none" })),
        field(words.password, input("password", { type: "password", autocomplete: "current-password" })),
      ],
      google: () => [],
      github: () => [],
      anonymous: () => [field(words.name, input("name", { autocomplete: "nickname", maxlength: 50 }))],
    }[way]().filter(Boolean));
    if (sent) panel.querySelector("input").value = sent;
    if (submit()) submit().textContent = way === "code" && !sent ? words.send : isElsewhere() ? words.ways[way] : words.go;
    [...panel.querySelectorAll("input")].at(sent ? -1 : 0)?.focus();
  }

  async function enter(given) {
    if (way === "anonymous") return client.signInAs(given.name);
    if (way === "password") return client.signIn("password", given);
    if (isElsewhere()) return client.signInAt(way);
    if (!sent) {
      await client.ask("POST", "/session/code/send", { email: given.email });
      sent = given.email;
      show();
      return false;
    }
    return client.signIn("code/verify", { email: sent, code: given.code.replace(/\s/g, "") });
  }

  const asked = ask(host, words.signIn, [ways.length > 1 && choices, panel].filter(Boolean), words.go, enter);
  show();
  const isDone = await asked;
  client.leave?.();
  if (!isDone) return false;
  await host.refresh();
  if (host.user && !host.user.named) await chooseName(host);
  return Boolean(host.user);
}

export async function chooseName(host) {
  const { client, words } = host;
  await ask(host, words.choose, [field(words.name, input("name", { autocomplete: "nickname", maxlength: 50 }))], words.save,
    ({ name }) => client.ask("PUT", "/users/me", { name }));
  await host.refresh();
}

export function report(host, send) {
  const { words } = host;
  const reasons = create("select", { name: "reason" }, ...Object.entries(words.reasons).map(([value, text]) => create("option", { value, text })));
  return ask(host, words.report, [field(words.why, reasons), field(words.details, create("textarea", { name: "details", maxlength: 1000, rows: 3 }))], words.report, send);
}

export function ban(host, send) {
  const { words } = host;
  return ask(host, words.ban, [
    field(words.days, input("days", { type: "number", min: 0, max: 3650, value: 0 })),
    create("label", { class: "check" }, create("input", { type: "checkbox", name: "purge" }), create("span", { text: words.purge })),
  ], words.ban, send, true);
}
