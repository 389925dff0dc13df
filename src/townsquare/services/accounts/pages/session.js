// Being signed in, as far as a page knows. The access token lives in this module only. The refresh token is
// in sessionStorage: it survives a reload, ends with the tab, and no other site can read it. A cookie would be
// sent along with requests that other sites cause; localStorage would stay on a shared computer.

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
  }
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
  const token = sessionStorage.getItem(KEPT);
  if (!token || !navigator.locks) return;
  const name = `townsquare.${token.split(".")[0]}`;
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

export async function ask(method, path, body, token) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(`/accounts${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
    });
  } catch {
    throw new Refusal(0, { detail: "The server cannot be reached." });
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    answer = {};
  }
  if (!response.ok) throw new Refusal(response.status, answer || {});
  return answer;
}

export async function askAsMe(method, path, body) {
  return ask(method, path, body, await token());
}

export async function token() {
  if (access && Date.now() < endsAt) return access;
  renewing ??= renew().finally(() => (renewing = null));
  return renewing;
}

async function renew() {
  const refresh_token = sessionStorage.getItem(KEPT);
  if (!refresh_token) throw new Refusal(401, { detail: "Sign in first." });
  try {
    keep(await ask("POST", "/refresh", { refresh_token }));
  } catch (problem) {
    if (problem.status === 401) forget();
    throw problem;
  }
  return access;
}

export function notify(text, bad = false) {
  const notice = document.getElementById("notice");
  notice.textContent = text;
  notice.classList.toggle("bad", bad);
  notice.hidden = !text;
}

// Run what a person asked for: one at a time per button, and say what went wrong.
export async function attempt(button, work) {
  notify("");
  if (button) button.disabled = true;
  try {
    return await work();
  } catch (problem) {
    notify(problem.message, true);
    throw problem;
  } finally {
    if (button) button.disabled = false;
  }
}

export const digits = (text) => text.replace(/\s/g, "");
export const address = (text) => (text.includes("@") ? { email: text.trim() } : { phone: text.trim() });
