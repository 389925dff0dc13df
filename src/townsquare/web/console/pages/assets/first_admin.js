// Make the signed-in account the first admin. The token is in the fragment of the link, which no server sees.

import { at, attemptForm, notify } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { isKept, keep, requestAsMe, signInAddress } from "../../shared/session.js";

const KEPT = "townsquare.first-admin"; // the token, while this tab is at the sign-in page

if (location.hash.length > 1) {
  sessionStorage.setItem(KEPT, location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem(KEPT);
const form = at("claim");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attemptForm(form, form.querySelector("button"), async () => {
    keep(await requestAsMe("POST", "/accounts/first-admin", { token }));
    sessionStorage.removeItem(KEPT);
    location.replace(`${ROOT}/console`);
  });
});

if (!token) {
  notify("The address has no token: copy the whole link from the output of the server.", true);
} else if (isKept()) {
  form.hidden = false;
} else {
  at("sign-in").href = signInAddress();
  at("door").hidden = false;
}
