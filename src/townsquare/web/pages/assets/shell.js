// The header of every page: where we are, who is here, light or dark.

import { isKept, signInAddress } from "../shared/session.js";

const here = [...document.querySelectorAll(".shell nav a")]
  .filter(({ pathname }) => location.pathname === pathname || location.pathname.startsWith(`${pathname}/`))
  .sort((one, other) => other.pathname.length - one.pathname.length);
here[0]?.setAttribute("aria-current", "page"); // the nearest, where one lies below another

const account = document.querySelector(".shell [data-signed-in]");
if (account && isKept()) {
  account.href = account.dataset.signedIn;
  account.textContent = account.dataset.title;
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
