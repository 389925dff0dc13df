// The header of every page: the current link, the menu on narrow pages, the account link, light or dark.

import { face } from "../shared/page.js";
import { ROOT } from "../shared/root.js";
import { isAdmin, isKept, keptLooks, requestAsMe, signInAddress } from "../shared/session.js";

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

// The unread notifications of all services: now, every minute that the page is looked at, and when some are read.
const MINUTE = 60_000;
const showUnread = (unread) => {
  const badge = document.getElementById("unread");
  badge.textContent = unread > 99 ? "99+" : unread;
  badge.hidden = !unread;
  document.getElementById("bell").setAttribute("aria-label", unread ? `Notifications, ${unread} unread` : "Notifications");
};
async function count() {
  if (!isKept()) return;
  if (!document.hidden) await requestAsMe("GET", "/accounts/me/notifications/unread").then(({ unread }) => showUnread(unread), () => {});
  setTimeout(count, MINUTE);
}
addEventListener("townsquare-unread", (event) => showUnread(event.detail));

const account = document.querySelector(".shell [data-signed-in]");
if (account && isKept()) {
  const { name, avatar } = keptLooks();
  account.href = account.dataset.signedIn;
  account.setAttribute("aria-label", account.dataset.title);
  account.title = name ? `${account.dataset.title}: ${name}` : account.dataset.title;
  account.replaceChildren(face({ name: name || "?", avatar }));
  document.getElementById("bell").hidden = false;
  count();
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
