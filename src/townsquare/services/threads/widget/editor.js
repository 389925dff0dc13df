// The form in which a comment, a reply or an edit is written.

import { attempt, button, create, field, fill, random } from "./dom.js";

const LONGEST = 10000;

// `send` gets what was written; `cancel` is there where the form can be closed.
export function editor(host, { label, action, text = "", send, cancel }) {
  const { words } = host;
  let key = random(); // of this draft: sent twice, it makes one comment
  const area = create("textarea", { "aria-label": label, placeholder: label, required: true, maxlength: LONGEST, rows: 3, dir: "auto" });
  area.value = text;
  const shown = create("div", { class: "text preview", hidden: true, tabindex: "0", role: "region", "aria-label": words.preview });
  const trap = create("input", { name: "website", class: "unseen", tabindex: "-1", autocomplete: "off", "aria-hidden": "true" });
  const wrong = create("p", { class: "wrong", role: "alert" });
  const name = create("input", { name: "name", placeholder: words.name, autocomplete: "nickname", maxlength: 50, required: true });
  const guest = create("span", { class: "guest" }, field(words.name, name), button(words.orSignIn, () => host.signIn(), { class: "link" }));
  const submit = create("button", { text: action, class: "main" });
  const look = button(words.preview, () => attempt(look, preview, tell), { "aria-pressed": "false", class: "quiet" });

  const tell = (message) => (wrong.textContent = message);
  const lacks = (input, message) => {
    tell(message);
    input.setAttribute("aria-invalid", "true");
    input.focus();
  };
  const asksName = () => !host.user && host.methods.includes("anonymous");

  async function preview() {
    const opens = shown.hidden;
    if (opens && !area.value.trim()) return lacks(area, words.needText);
    if (opens) fill(shown, (await host.client.ask("POST", "/preview", { content: area.value })).content_html);
    shown.hidden = !opens;
    area.hidden = opens;
    look.setAttribute("aria-pressed", opens);
    (opens ? shown : area).focus();
  }

  async function post() {
    tell("");
    if (!area.value.trim()) return lacks(area, words.needText);
    if (asksName()) {
      if (!name.value.trim()) return lacks(name, words.needName);
      await host.client.signInAs(name.value.trim());
      await host.refresh();
    }
    if (!host.user && !(await host.signIn())) return;
    if (!shown.hidden) await preview(); // back to the text: sending it moves the focus
    await send({ content: area.value, website: trap.value, key });
    area.value = "";
    key = random();
    form.follow();
  }

  const form = create("form", {
    class: "editor", "aria-label": label, novalidate: true,
    onsubmit: (event) => { event.preventDefault(); attempt(submit, post, tell); },
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      if (event.key === "Escape" && cancel) { event.stopPropagation(); cancel(); }
    },
    oninput: ({ target }) => { target.removeAttribute("aria-invalid"); tell(""); host.isTyping(); },
  }, area, shown, trap, wrong, create("div", { class: "row" },
    guest, look, cancel && button(words.cancel, cancel, { class: "quiet" }), submit));

  // Who is signed in may have changed.
  form.follow = () => {
    guest.hidden = !asksName();
    guest.lastChild.hidden = host.methods.length < 2;
  };
  form.focusText = () => area.focus();
  form.follow();
  return form;
}
