// The social API, as whoever is signed in on the accounts page.

import { Left, notify } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { isKept, request, requestAsMe, signInAddress } from "../../shared/session.js";

const VISITOR = { name: null, profile: null, state: "visitor" };
const CLOSED = "Nobody can sign in here.";

export const me = { ...VISITOR, follows: new Set() }; // its state: visitor, nameless, newcomer, member
export const door = { open: true }; // whether people can sign in at all

// A visit is one view, until another is shown. What is asked during a visit is answered to that visit only:
// whoever asked in a view that was left gets no answer, be it good or bad, so nothing of it can be shown.
let visit = Symbol("visit");

export function beginVisit() {
  visit = Symbol("visit");
}

export async function call(method, path, body, options) {
  const asked = visit;
  const [answer] = await Promise.allSettled([callAnyway(method, path, body, options)]);
  if (visit !== asked) throw new Left();
  if (answer.status === "rejected") throw answer.reason;
  return answer.value;
}

// For what stays while views come and go.
export async function callAnyway(method, path, body, options) {
  if (isKept()) {
    try {
      return await requestAsMe(method, `/social${path}`, body, options);
    } catch (problem) {
      if (problem.status !== 401 || isKept()) throw problem;
      Object.assign(me, VISITOR); // signed out meanwhile: go on as a visitor
    }
  }
  return request(method, `/social${path}`, body, options);
}

export const get = (path, query = {}) => call("GET", asking(path, query));
export const getAnyway = (path, query = {}) => callAnyway("GET", asking(path, query));
export const user = (name) => `/users/${encodeURIComponent(name)}`;
export const post = (id) => `/posts/${encodeURIComponent(id)}`;

function asking(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

// Send what is being written. The same words go with the same key, so sending them again after an answer was
// lost makes no second post; other words are another request.
export function draft(path) {
  const keys = new Map();
  return (body) => {
    const words = JSON.stringify(body);
    if (!keys.has(words)) keys.set(words, newKey());
    return call("POST", path, body, { key: keys.get(words) });
  };
}

// crypto.randomUUID is not there on plain http.
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function findMe() {
  if (!isKept()) return;
  try {
    me.profile = await callAnyway("GET", "/users/me");
    me.name = me.profile.username;
    me.state = "member";
    me.follows = new Set((await callAnyway("GET", `${user("me")}/following?limit=100`)).items.map(({ username }) => username));
  } catch (problem) {
    me.state = { 403: "nameless", 404: "newcomer" }[problem.status] || "visitor";
  }
}

// Accounts can be switched off; then there is no page to sign in on.
export async function findDoor() {
  if (isKept()) return;
  try {
    await request("GET", "/accounts/ways");
  } catch (problem) {
    door.open = problem.status !== 404;
  }
}

// What only members do: others are led to the door.
export function isMember() {
  if (me.state === "member") return true;
  if (me.state === "nameless") location.assign(`${ROOT}/accounts/account`);
  else if (door.open) location.assign(signInAddress());
  else notify(CLOSED, true);
  return false;
}
