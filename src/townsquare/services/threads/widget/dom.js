// Making elements. What people wrote is only ever set as text; HTML is what the server has sanitised.

export function create(tag, { text, html, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (html !== undefined) made.innerHTML = html;
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter(Boolean));
  return made;
}

export const button = (text, onclick, attributes = {}) => create("button", { type: "button", text, onclick, ...attributes });
export const field = (label, input) => create("label", {}, create("span", { text: label }), input);

const STEPS = [[60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [4.35, "week"], [12, "month"], [Infinity, "year"]];

// "3 hours ago", in the language of the page.
export function ago(when, language) {
  let passed = (Date.parse(when) - Date.now()) / 1000;
  for (const [size, unit] of STEPS) {
    if (Math.abs(passed) < size) {
      return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(unit === "second" ? 0 : Math.round(passed), unit);
    }
    passed /= size;
  }
  return "";
}

const hueOf = (name) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);

// The HTML of a comment. What scrolls sideways can be scrolled with the keyboard.
export function fill(element, html) {
  element.innerHTML = html;
  for (const wide of element.querySelectorAll("pre, table")) wide.tabIndex = 0;
  return element;
}

export function avatar(author) {
  const address = author?.avatar_url;
  if (address && /^https?:\/\//i.test(address)) {
    return create("img", { class: "avatar", src: address, alt: "", loading: "lazy", referrerpolicy: "no-referrer" });
  }
  const made = create("span", { class: "avatar", "aria-hidden": "true", text: author ? [...author.name][0]?.toUpperCase() : "" });
  if (author) made.style.setProperty("--hue", hueOf(author.name));
  return made;
}

// Run what a person asked for, once at a time; what goes wrong is told where it was asked.
export async function attempt(control, work, tell) {
  if (control.getAttribute("aria-disabled")) return;
  control.setAttribute("aria-disabled", "true");
  try {
    await work();
  } catch (problem) {
    tell(problem.message);
  } finally {
    control.removeAttribute("aria-disabled");
  }
}

// A button whose work takes a while.
export function action(text, work, tell, attributes) {
  const made = button(text, () => attempt(made, work, tell), attributes);
  return made;
}

export const random = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
