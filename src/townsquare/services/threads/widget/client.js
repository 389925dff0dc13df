// Asks the server with the key of the site, as whoever is signed in. The access token lives here, the refresh token in
// the storage of the host page: browsers keep no cookies for a server that is not the page's own. One tab renews at a
// time, and the others find what it got.

import { random } from "./dom.js";

export const HOME = new URL("..", import.meta.url).href.slice(0, -1); // without the slash
const EARLY = 30; // seconds before its end at which an access token is renewed

// A page that shows the comments before there is a site answers their requests itself.
export const samples = new Map();

export class Refusal extends Error {
  constructor(status, problem, { refusals, unreachable }) {
    super(refusals?.[problem?.code] || problem?.detail || problem?.title || unreachable);
    this.status = status;
    this.code = problem?.code || "";
    this.problem = problem;
  }
}

const tokens = new Map(); // by server: {access, endsAt, renewing}

export class Client {
  sso = null; // a token of the site's own user

  constructor(host, base, site) {
    Object.assign(this, { host, base, site });
    this.key = `ts-comments ${base}`;
    if (!tokens.has(base)) tokens.set(base, {});
    this.held = tokens.get(base);
    const at = new URL(base, location.href);
    this.own = !samples.has(base) && at.origin === location.origin && `${location.pathname}/`.startsWith(at.pathname);
  }

  get kept() {
    try {
      return JSON.parse(localStorage.getItem(this.key)) || {};
    } catch {
      return this.held.kept || {};
    }
  }

  set kept(value) {
    this.held.kept = value;
    try {
      localStorage.setItem(this.key, JSON.stringify(value));
    } catch { /* a browser that keeps nothing is signed in until the page is left */ }
  }

  async ask(method, path, given = {}, key = null) {
    const bearer = this.sso || (await this.bearer());
    try {
      return await this.send(method, path, given, bearer, key);
    } catch (problem) {
      if (problem.code !== "unauthorized" || !bearer || this.sso) throw problem;
      if (this.held.access === bearer) this.held.access = null;
      return this.send(method, path, given, await this.bearer(bearer), key);
    }
  }

  // What is given goes into the query of a GET, else into the body. Without a header there is no preflight.
  async send(method, path, given, bearer = null, key = null) {
    const sample = samples.get(this.base);
    if (sample) return sample(method, path, given);
    const isGet = method === "GET";
    const query = Object.entries({ site: this.site, ...given }).filter(([, value]) => value != null);
    const headers = {};
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    if (key) headers["Idempotency-Key"] = key;
    if (!isGet) Object.assign(headers, { "X-API-Key": this.site, "Content-Type": "application/json" });
    let response, answer;
    try {
      response = await fetch(`${this.base}/threads/v1${path}${isGet ? `?${new URLSearchParams(query)}` : ""}`, {
        method, headers, credentials: "omit", body: isGet ? undefined : JSON.stringify(given),
      });
      const text = await response.text();
      answer = text ? JSON.parse(text) : null;
    } catch {
      throw new Refusal(response?.status || 0, null, this.host.words);
    }
    if (!response.ok) throw new Refusal(response.status, answer, this.host.words);
    return answer;
  }

  // A stranger who writes a lot is asked for work first; few readers ever load how it is done.
  async write(path, given, key) {
    try {
      return await this.ask("POST", path, given, key);
    } catch (refusal) {
      if (refusal.code !== "proof_required") throw refusal;
      const { solve } = await import(`${this.base}/components/proof.js`);
      return this.ask("POST", path, { ...given, proof: await solve(refusal.problem.challenge, refusal.problem.difficulty) }, key + 1);
    }
  }

  // On pages of the server itself, who is signed in there is signed in here.
  get isShared() {
    return this.own && "townsquare.session" in localStorage;
  }

  async bearer(refused = null) {
    const { held } = this;
    if (this.isShared) return (await import(`${this.base}/shared/session.js`)).bearer(refused);
    if (!this.kept.refresh_token) return null;
    if (held.access && Date.now() < held.endsAt) return held.access;
    held.renewing ??= (navigator.locks ? navigator.locks.request(this.key, () => this.renew()) : this.renew()).finally(() => (held.renewing = null));
    return held.renewing;
  }

  // Answers null when the session has ended: who reads goes on as a reader.
  async renew() {
    const used = this.kept.refresh_token;
    if (!used) return null;
    const isStillKept = () => this.kept.refresh_token === used;
    try {
      const answer = await this.send("POST", "/session/refresh", { refresh_token: used });
      if (isStillKept()) this.keep(answer);
      return answer.access_token;
    } catch (problem) {
      if (problem.status !== 401) throw problem;
      if (!isStillKept()) return this.renew();
      this.forget();
      return null;
    }
  }

  keep(answer) {
    Object.assign(this.held, { access: answer.access_token, endsAt: Date.now() + (answer.expires_in - EARLY) * 1000 });
    this.kept = { ...this.kept, refresh_token: answer.refresh_token, user_id: answer.user.id };
  }

  forget() {
    this.held.access = null;
    this.kept = { device: this.kept.device };
  }

  async signIn(way, given) {
    this.keep(await this.ask("POST", `/session/${way}`, given));
  }

  // In a window of the server's own, where its provider knows it. Answers false when that is closed.
  signInAt(provider) {
    const { base, site } = this;
    const query = new URLSearchParams({ site, provider, origin: location.origin });
    const popup = open(`${base}/threads/sign-in?${query}`, "ts-sign-in", "popup,width=500,height=650");
    if (!popup) throw new Error(this.host.words.blocked);
    return new Promise((resolve) => {
      const end = (done) => {
        clearInterval(timer);
        removeEventListener("message", hear);
        popup.close();
        resolve(done);
      };
      this.leave = () => end(false);
      const hear = ({ source, origin, data }) => {
        if (source !== popup || origin !== new URL(base, location.href).origin) return;
        this.keep(data);
        end(true);
      };
      const timer = setInterval(() => popup.closed && setTimeout(end, 500, false), 500); // what it said may be on its way
      addEventListener("message", hear);
    });
  }

  // A device keeps its secret, so that who comes back with the same name is the same person.
  async signInAs(name) {
    const device = this.kept.device || random();
    this.kept = { ...this.kept, device };
    try {
      await this.signIn("anonymous", { name, device_id: device });
    } catch (problem) {
      if (problem.code !== "already_registered") throw problem;
      this.kept = { ...this.kept, device: random() }; // it has signed up since
      await this.signIn("anonymous", { name, device_id: this.kept.device });
    }
  }

  async signOut() {
    await this.ask("DELETE", "/session").catch(() => {});
    this.forget();
  }
}
