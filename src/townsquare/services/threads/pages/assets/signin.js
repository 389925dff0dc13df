// The window that the comments of a site open: to Google or GitHub and back. The session is for the page that opened it,
// on an origin that the server has allowed, and is told to no other.

import { at, attempt } from "../../shared/page.js";
import { arrival, depart, departed, proofIn } from "../../shared/providers.js";
import { ROOT } from "../../shared/root.js";
import { request } from "../../shared/session.js";

const AGREED = "townsquare.sites"; // of whom it was asked once whether they may know who one is
const HERE = `${location.origin}${ROOT}/threads/sign-in`;

function agreed() {
  try {
    return JSON.parse(localStorage.getItem(AGREED)) || [];
  } catch {
    return [];
  }
}

function ask({ site, origin, provider }) {
  const go = () => attempt(at("go"), async () => {
    localStorage.setItem(AGREED, JSON.stringify([...new Set([...agreed(), origin])]));
    await depart(provider, { site, origin }, HERE);
  });
  at("go").addEventListener("click", go);
  at("go").focus();
  if (agreed().includes(origin)) go();
}

function comeBack(back) {
  const left = departed();
  history.replaceState(null, "", location.pathname);
  return attempt(null, async () => {
    const proof = proofIn(back ?? new URLSearchParams(), left);
    if (!opener) throw new Error("The page that asked is not open any more. Close this window and try again.");
    const { provider, site, origin } = left;
    const answer = await request("POST", `/threads/v1/session/${provider}`, { ...proof, origin }, { headers: { "X-API-Key": site } });
    opener.postMessage(answer, origin);
    close();
  });
}

const asked = at("ask");
if (asked) ask(asked.dataset);
else comeBack(arrival());
