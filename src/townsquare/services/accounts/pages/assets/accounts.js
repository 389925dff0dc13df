// What signing in and the account page share: the accounts API and forms.

import { at, attemptForm } from "../../shared/page.js";
import { request } from "../../shared/session.js";

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
