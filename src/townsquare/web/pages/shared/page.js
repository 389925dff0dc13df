// What all pages do in one way: make elements, say what happened, run what a person asked for, ask back.
// Text that people wrote only ever becomes a text node.

export const at = (id) => document.getElementById(id);
export const several = (number, word) => `${word}${number === 1 ? "" : "s"}`;

export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.startsWith("aria")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// The colour of somebody without a picture, the same as in <ts-comments>.
const hueOf = (name) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);

// The picture of somebody, or the coloured initial of their name.
export function avatar(name, url) {
  const letter = el("span", { className: "initial", "aria-hidden": "true" }, ([...name][0] ?? "").toUpperCase());
  letter.style.setProperty("--hue", hueOf(name));
  if (!/^https?:\/\//i.test(url ?? "")) return letter;
  const small = url.replace(/(\/images\/img_\w+\/)\w+\.webp$/, "$1small.webp"); // one of ours has several sizes
  return el("img", { src: small, alt: "", loading: "lazy", referrerPolicy: "no-referrer", onerror: (event) => event.target.replaceWith(letter) });
}

export const face = ({ name, avatar: url }) => el("span", { className: "face", "aria-hidden": "true" }, avatar(name, url));

export function field(label, input) {
  return el("label", { className: "field" }, el("span", {}, label), input);
}

export function notify(text, bad = false) {
  const notice = at("notice");
  notice.textContent = text;
  notice.classList.toggle("bad", bad);
  notice.hidden = !text;
}

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const STEPS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

// How long ago, as a <time>; a date after a week.
export function when(ms) {
  const date = new Date(ms);
  const seconds = Math.round((Date.now() - ms) / 1000);
  const properties = { dateTime: date.toISOString(), title: date.toLocaleString() };
  if (seconds < 60) return el("time", properties, "now");
  if (seconds > 7 * 86_400) return el("time", properties, date.toLocaleDateString(undefined, { dateStyle: "medium" }));
  const [unit, size] = STEPS.find(([, length]) => seconds >= length);
  return el("time", properties, AGO.format(-Math.floor(seconds / size), unit));
}

// The answer to a question that nobody waits for any more: no news for whoever is here now.
export class Left extends Error {}

// Run what a person asked for, one at a time per button, and tell what went wrong. The button keeps the focus
// meanwhile, so it is not disabled: a second click, or Enter in its form, finds it busy. Who lost the place
// nevertheless gets it back.
export async function attempt(button, work, tell = (problem) => notify(problem.message, true)) {
  if (isBusy(button)) return undefined;
  const focused = button !== null && document.activeElement === button;
  notify("");
  button?.setAttribute("aria-disabled", "true");
  try {
    return await work();
  } catch (problem) {
    if (!(problem instanceof Left)) tell(problem);
    return undefined;
  } finally {
    button?.removeAttribute("aria-disabled");
    if (focused && isNowhere()) button.focus();
  }
}

const isBusy = (button) => button?.getAttribute("aria-disabled") === "true";

// Whether who uses the keyboard has no place: what had the focus is gone or hidden.
export function isNowhere() {
  const focus = document.activeElement;
  return !focus || focus === document.body || focus.getClientRects().length === 0;
}

// At most so many characters, counted as the server counts them: an emoji is one, spaces around are none.
// `spelled` is how the server writes the text before it counts.
export function limited(input, longest, { spelled = (text) => text, counted = () => {} } = {}) {
  const count = () => {
    const length = [...spelled(input.value).trim()].length;
    input.setCustomValidity(length > longest ? `Use at most ${longest} characters; these are ${length}.` : "");
    counted(length);
  };
  input.addEventListener("input", count);
  count();
  return input;
}

// Ask in the page's dialog, and do the work with what was filled in. Answers what the work answers, or null if
// nothing was done. What is refused keeps the dialog open, with everything that was typed.
export function ask(title, fields, { action, cancel = "Cancel", bad = false, work = (given) => given }) {
  const dialog = at("dialog");
  const send = el("button", { className: bad ? "bad" : "" }, action);
  let outcome = null;
  let running = null;
  const form = el(
    "form",
    { onsubmit: (event) => {
      event.preventDefault();
      running ??= attemptForm(form, send, finish).finally(() => (running = null));
    } },
    el("h2", { id: "dialog-title" }, title),
    fields,
    el("div", { className: "row" },
      el("button", { type: "button", className: "quiet", onclick: () => dialog.close() }, cancel),
      send),
  );
  const finish = async () => {
    outcome = (await work(Object.fromEntries(new FormData(form)))) ?? true;
    if (form.isConnected) dialog.close();
  };
  dialog.replaceChildren(form);
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = async () => {
      await running;
      resolve(outcome);
    };
    dialog.addEventListener("close", closed, { once: true });
  });
}

// The same for a form: what is wrong with a field is said there, until the form is sent again.
export function attemptForm(form, button, work) {
  const sent = () => {
    form.querySelector(".wrong")?.remove();
    for (const input of form.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
    return work();
  };
  return attempt(button, sent, (problem) => point(form, problem));
}

// Say what is wrong at the field that it is about.
function point(form, problem) {
  const isShown = form.getClientRects().length > 0;
  const input = isShown && problem.field ? form.elements.namedItem(problem.field) : null;
  const isAsked = isShown && form.closest("dialog");
  if (!input && !isAsked) {
    notify(problem.message, true);
    return;
  }
  const prefix = `${problem.field}: `; // the server's name for what has a label here
  const text = input && problem.message.startsWith(prefix) ? problem.message.slice(prefix.length) : problem.message;
  const wrong = el("p", { className: "wrong", id: "wrong", role: "alert" }, text.slice(0, 1).toUpperCase() + text.slice(1));
  if (!input) {
    form.lastElementChild.before(wrong);
    return;
  }
  input.closest(".field").after(wrong);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", "wrong");
  input.focus();
}
