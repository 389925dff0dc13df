// The social API, as whoever is signed in on the accounts page.

import { claimTab, isKept, Refusal, token } from "/accounts/pages/session.js";

export const me = { name: null, profile: null, state: "visitor" }; // visitor, nameless, newcomer, member

export async function call(method, path, body) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (isKept()) {
    try {
      headers.Authorization = `Bearer ${await token()}`;
    } catch (problem) {
      if (problem.status !== 401) throw problem; // signed out meanwhile: go on as a visitor
      Object.assign(me, { name: null, profile: null, state: "visitor" });
    }
  }
  let response;
  try {
    response = await fetch(`/social${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
    });
  } catch {
    throw new Refusal(0, { detail: "The server cannot be reached." });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

export const get = (path, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return call("GET", given.length ? `${path}?${new URLSearchParams(given)}` : path);
};
export const user = (name) => `/users/${encodeURIComponent(name)}`;
export const post = (id) => `/posts/${encodeURIComponent(id)}`;

export async function findMe() {
  await claimTab();
  if (!isKept()) return;
  try {
    me.profile = await call("GET", "/users/me");
    me.name = me.profile.username;
    me.state = "member";
  } catch (problem) {
    me.state = { 403: "nameless", 404: "newcomer" }[problem.status] || "visitor";
  }
}

export function signInAddress() {
  return `/accounts/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
}

// What only members do: others are led to the door.
export function isMember() {
  if (me.state === "member") return true;
  location.assign(me.state === "nameless" ? "/accounts/account" : signInAddress());
  return false;
}
