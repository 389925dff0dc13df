// Asking the server, and being signed in as far as a page knows. The access token lives in this module only.
// The refresh token is in sessionStorage: it survives a reload, ends with the tab, and no other site can read
// it. A cookie would be sent along with requests that other sites cause; localStorage would stay on a shared
// computer.

import { ROOT } from "./root.js";

const KEPT = "townsquare.refresh";
const EARLY = 30; // seconds before its end at which an access token is renewed
const HANDOVER = 1500; // milliseconds that the page before may take to let go after a reload

let access = null;
let endsAt = 0;
let renewing = null;

export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail || "Something went wrong, try again in a moment.");
    this.status = status;
    this.code = problem.code || "";
    this.field = problem.field || problem.errors?.[0]?.field || null;
  }
}

// `key` is that of a draft: the same one sent again makes no second thing.
export async function request(method, path, body, { token = null, key = null } = {}) {
  const headers = {};
  if (key) headers["Idempotency-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  let text;
  try {
    response = await fetch(`${ROOT}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
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
export async function requestAsMe(method, path, body, { key = null } = {}) {
  const shown = await token();
  try {
    return await request(method, path, body, { token: shown, key });
  } catch (problem) {
    if (problem.code !== "unauthorized") throw problem;
    if (access === shown) access = null;
    return request(method, path, body, { token: await token(), key });
  }
}

async function token() {
  if (access && Date.now() < endsAt) return access;
  renewing ??= renew().finally(() => (renewing = null));
  return renewing;
}

async function renew() {
  const refresh_token = sessionStorage.getItem(KEPT);
  if (!refresh_token) throw new Refusal(401, { detail: "Sign in first." });
  try {
    keep(await request("POST", "/accounts/refresh", { refresh_token }));
  } catch (problem) {
    if (![401, 404].includes(problem.status)) throw problem;
    forget(); // the session has ended, or accounts are switched off
    throw new Refusal(401, { detail: problem.message, code: problem.code });
  }
  return access;
}

export function keep(answer) {
  access = answer.access_token;
  endsAt = Date.now() + (answer.expires_in - EARLY) * 1000;
  sessionStorage.setItem(KEPT, answer.refresh_token);
  return answer.user;
}

export function forget() {
  access = null;
  sessionStorage.removeItem(KEPT);
}

export function isKept() {
  return sessionStorage.getItem(KEPT) !== null;
}

// A duplicated tab copies the refresh token, and using it twice would end the session in both. The first tab
// holds a lock with the session's name; a copy finds it held and starts without a session.
export async function claimTab() {
  const kept = sessionStorage.getItem(KEPT);
  if (!kept || !navigator.locks) return;
  const name = `townsquare.${kept.split(".")[0]}`;
  const claimed = await new Promise((resolve) => {
    navigator.locks
      .request(name, { signal: AbortSignal.timeout(HANDOVER) }, () => {
        resolve(true);
        return new Promise(() => {});
      })
      .catch(() => resolve(false));
  });
  if (!claimed) forget();
}

// The door, which leads back here.
export function signInAddress() {
  return `${ROOT}/accounts/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
}
