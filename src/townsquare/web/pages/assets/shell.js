// The header of every page: the current link, the menu on narrow pages, the account link, light or dark.

import { avatar } from "../shared/page.js";
import { ROOT } from "../shared/root.js";
import { isAdmin, isKept, keptLooks, signInAddress } from "../shared/session.js";

if (isAdmin()) {
  const link = document.createElement("a");
  link.href = `${ROOT}/console`;
  link.textContent = "Console";
  document.getElementById("nav").append(link);
}

const here = [...document.querySelectorAll(".shell nav a")]
  .filter(({ pathname }) => location.pathname === pathname || location.pathname.startsWith(`${pathname}/`))
  .sort((one, other) => other.pathname.length - one.pathname.length);
here[0]?.setAttribute("aria-current", "page"); // the nearest, where one lies below another

// On a narrow page the links are in a menu. Without this script they are always visible.
const menu = document.getElementById("menu");
const setMenu = (open) => {
  menu.setAttribute("aria-expanded", open);
  document.querySelector(".shell").classList.toggle("open", open);
};
menu.hidden = false;
document.querySelector(".shell").classList.add("folds");
menu.addEventListener("click", () => setMenu(menu.getAttribute("aria-expanded") === "false"));
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || menu.getAttribute("aria-expanded") === "false") return;
  setMenu(false);
  menu.focus();
});

const account = document.querySelector(".shell [data-signed-in]");
if (account && isKept()) {
  account.href = account.dataset.signedIn;
  account.textContent = account.dataset.title;
  const { name, avatar: picture } = keptLooks();
  if (name) {
    const face = document.createElement("span");
    face.className = "face";
    face.append(avatar(name, picture));
    account.prepend(face);
  }
} else if (account && account.pathname !== location.pathname) {
  account.href = signInAddress();
}

const theme = document.getElementById("theme");
theme.hidden = false;  // without this script it would do nothing
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("townsquare-theme", root.dataset.theme);
});
