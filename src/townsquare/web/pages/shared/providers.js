// The way to Google or GitHub and back.

import { request } from "./session.js";

const DEPARTED = "townsquare.departed"; // which provider we went to, the state, and what for

export async function depart(provider, purpose = {}, redirect_uri = "") {
  const departure = await request("POST", `/accounts/${provider}/start`, { redirect_uri });
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
  const places = [location.hash.slice(1), location.search].map((place) => new URLSearchParams(place));
  return places.find((back) => back.has("state")) || null;
}

// What the provider gave for a sign-in that was started here.
export function proofIn(back, left) {
  if (!left || left.state !== back.get("state")) throw new Error("This sign-in was not started here. Try again.");
  if (back.has("error")) throw new Error("You were not signed in there.");
  return left.provider === "google" ? { id_token: back.get("id_token") } : { code: back.get("code"), state: left.state };
}
