// Asking the server, and being signed in as far as a page knows. The access token lives in this module only. The
// refresh token is in localStorage, so that all tabs are signed in together and out together; see
// decision 019. One tab renews at a time, and the others find what it got.

import { ROOT } from "./root.js";

const KEPT = "townsquare.session"; // {refresh_token, user_id, role, name, avatar}
const RENEWING = "townsquare.renewing"; // the lock of the tab that renews
const EARLY = 30; // seconds before its end at which an access token is renewed

let access = null;
let endsAt = 0;
let renewing = null;
let shownTo = kept()?.user_id; // whose this page is

export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail || "Something went wrong, try again in a moment.");
    this.status = status;
    this.code = problem.code || "";
    this.field = problem.field || problem.errors?.[0]?.field || null;
  }
}

// `key` is that of a draft: the same one sent again makes no second thing.
export async function request(method, path, body, { token = null, key = null, headers: more = {} } = {}) {
  const headers = { ...more };
  if (key) headers["Idempotency-Key"] = key;
  const isFile = body instanceof Blob;
  if (body !== undefined && !isFile) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  let text;
  try {
    response = await fetch(`${ROOT}${path}`, {
      method,
      headers,
      body: body === undefined || isFile ? body : JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
    });
    text = await response.text();
  } catch {
    throw new Refusal(0, { detail: "The server cannot be reached." });
  }
  const answer = parsed(text);
  if (!response.ok) throw new Refusal(response.status, answer || {});
  return answer;
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return {};
  }
}

// As whoever is signed in here. A token that is refused before its time, because the session was ended
// elsewhere, is renewed once; nothing was done with it, so asking again does nothing twice.
export async function requestAsMe(method, path, body, { key = null, headers = {} } = {}) {
  const shown = await token();
  try {
    return await request(method, path, body, { token: shown, key, headers });
  } catch (problem) {
    if (problem.code !== "unauthorized") throw problem;
    if (access === shown) access = null;
    return request(method, path, body, { token: await token(), key, headers });
  }
}

// The access token, null for a visitor: for <ts-comments>, which says which token was refused.
export async function bearer(refused) {
  if (refused && access === refused) access = null;
  return isKept() ? token().catch(() => null) : null;
}

async function token() {
  if (access && Date.now() < endsAt) return access;
  renewing ??= renew().finally(() => (renewing = null));
  return renewing;
}

// Plain http has no locks; there the server's grace lets two tabs renew at once.
function renew() {
  return navigator.locks ? navigator.locks.request(RENEWING, renewAlone) : renewAlone();
}

async function renewAlone() {
  const used = kept()?.refresh_token;
  if (!used) throw new Refusal(401, { detail: "Sign in first." });
  const isStillKept = () => kept()?.refresh_token === used; // nobody signed in or out in another tab meanwhile
  try {
    const answer = await request("POST", "/accounts/refresh", { refresh_token: used });
    if (isStillKept()) keep(answer);
    else remember(answer);
  } catch (problem) {
    if (![401, 404].includes(problem.status)) throw problem;
    if (isStillKept()) forget(); // the session has ended, or accounts are switched off
    else if (isKept()) return renewAlone(); // another tab has a newer one
    throw new Refusal(401, { detail: problem.message, code: problem.code });
  }
  return access;
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function remember(answer) {
  access = answer.access_token;
  endsAt = Date.now() + (answer.expires_in - EARLY) * 1000;
}

export function keep(answer) {
  remember(answer);
  shownTo = answer.user.id;
  localStorage.setItem(KEPT, JSON.stringify({ refresh_token: answer.refresh_token, user_id: answer.user.id, role: answer.user.role, ...looks(answer.user) }));
  return answer.user;
}

const looks = (user) => ({ name: user.displayName || user.username || user.firstName || user.email || "", avatar: user.avatar });

// The user in the header, until the session is renewed.
export function noteMe(changes) {
  if (isKept()) localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...(changes.id ? looks(changes) : changes) }));
}

export function keptLooks() {
  return kept() ?? {};
}

export function forget() {
  access = null;
  shownTo = undefined;
  localStorage.removeItem(KEPT);
}

export function isKept() {
  return kept() !== null;
}

// For links only: the server decides what an admin may do.
export function isAdmin() {
  return kept()?.role === "admin";
}

// When another tab signs in, in as somebody else, or out, this page is shown anew.
addEventListener("storage", () => {
  if (kept()?.user_id !== shownTo) location.reload();
});

// The door, which leads back here.
export function signInAddress() {
  return `${ROOT}/accounts/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
}
