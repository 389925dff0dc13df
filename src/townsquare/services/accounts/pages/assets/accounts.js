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

export async function depart(provider, link) {
  const departure = await call("POST", `/${provider}/start`, {});
  sessionStorage.setItem(DEPARTED, JSON.stringify({ provider, state: departure.state, link }));
  location.assign(departure.url);
}

export function departed() {
  const kept = JSON.parse(sessionStorage.getItem(DEPARTED) || "null");
  sessionStorage.removeItem(DEPARTED);
  return kept;
}
