// What signing in and the account page share: the accounts API, forms, and the way to a provider and back.

import { at, attemptForm } from "../../shared/page.js";
import { request } from "../../shared/session.js";

const DEPARTED = "townsquare.departed"; // which provider we went to, the state, and what for

export const call = (method, path, body) => request(method, `/accounts${path}`, body);
export const digits = (text) => text.replace(/\s/g, "");
export const address = (text) => (text.includes("@") ? { email: text.trim() } : { phone: text.trim() });
export const given = (form) => Object.fromEntries(new FormData(form));
export const submitOf = (form) => form.querySelector("button:not([type])");

export function submits(id, work) {
  const form = at(id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attemptForm(form, submitOf(form), () => work(given(form)));
  });
  return form;
}

export async function depart(provider, purpose = {}, redirect_uri = "") {
  const departure = await call("POST", `/${provider}/start`, { redirect_uri });
  sessionStorage.setItem(DEPARTED, JSON.stringify({ ...purpose, provider, state: departure.state }));
  location.assign(departure.url);
}

export function departed() {
  const kept = JSON.parse(sessionStorage.getItem(DEPARTED) || "null");
  sessionStorage.removeItem(DEPARTED);
  return kept;
}

// What a provider sent back: GitHub in the query, Google behind the #.
export function arrival() {
  const back = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search);
  return back.has("state") ? back : null;
}

// What the provider gave for a sign-in that was started here.
export function proofIn(back, left) {
  if (!left || left.state !== back.get("state")) throw new Error("This sign-in was not started here. Try again.");
  if (back.has("error")) throw new Error("You were not signed in there.");
  return left.provider === "google" ? { id_token: back.get("id_token") } : { code: back.get("code"), state: left.state };
}
