// The social API, as whoever is signed in on the accounts page.

import { claimTab, isKept, request, requestAsMe, signInAddress } from "/shared/session.js";

const VISITOR = { name: null, profile: null, state: "visitor" };

export const me = { ...VISITOR }; // its state: visitor, nameless, newcomer, member

export async function call(method, path, body) {
  if (isKept()) {
    try {
      return await requestAsMe(method, `/social${path}`, body);
    } catch (problem) {
      if (problem.status !== 401 || isKept()) throw problem;
      Object.assign(me, VISITOR); // signed out meanwhile: go on as a visitor
    }
  }
  return request(method, `/social${path}`, body);
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

// What only members do: others are led to the door.
export function isMember() {
  if (me.state === "member") return true;
  location.assign(me.state === "nameless" ? "/accounts/account" : signInAddress());
  return false;
}
