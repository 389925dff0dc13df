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

export function field(label, input) {
  return el("label", { className: "field" }, el("span", {}, label), input);
}

export function notify(text, bad = false) {
  const notice = at("notice");
  notice.textContent = text;
  notice.classList.toggle("bad", bad);
  notice.hidden = !text;
}

// Run what a person asked for, one at a time per button, and say what went wrong. A button that is disabled
// loses the focus: who pressed it by keyboard gets it back, unless the work has put it elsewhere.
export async function attempt(button, work) {
  const focused = button !== null && document.activeElement === button;
  notify("");
  if (button) button.disabled = true;
  try {
    return await work();
  } catch (problem) {
    notify(problem.message, true);
    return undefined;
  } finally {
    if (button) button.disabled = false;
    if (focused && isNowhere(document.activeElement)) button.focus();
  }
}

const isNowhere = (focus) => !focus || focus === document.body || focus.getClientRects().length === 0;

// Ask in the page's dialog; answers what was filled in, or null.
export function ask(title, fields, { action, cancel = "Cancel", bad = false }) {
  const dialog = at("dialog");
  const form = el(
    "form",
    { method: "dialog" },
    el("h2", { id: "dialog-title" }, title),
    fields,
    el("div", { className: "row" },
      el("button", { type: "button", className: "quiet", onclick: () => dialog.close() }, cancel),
      el("button", { value: "yes", className: bad ? "bad" : "" }, action)),
  );
  dialog.replaceChildren(form);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => resolve(dialog.returnValue === "yes" ? Object.fromEntries(new FormData(form)) : null);
    dialog.addEventListener("close", closed, { once: true });
  });
}
