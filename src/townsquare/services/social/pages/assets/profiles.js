// People: a profile with its lists, one's own to edit, and whom one blocks and mutes.

import { ask, at, attempt, el, field, limited, notify, several } from "../../shared/page.js";
import { picker, setAvatar } from "../../shared/images.js";
import { ROOT } from "../../shared/root.js";
import { call, get, isMember, me, user as userPath } from "./api.js";
import { face, followButton, personCard, personRow, postCard, blockOrMute } from "./cards.js";
import { figure, lively, place, safeAddress } from "./dom.js";
import { head, stream, tabs, takeAway, titled, vacant } from "./stage.js";

const LISTS = { followers: "No followers yet.", following: "Not following anyone yet." };
const LONGEST = { name: 100, bio: 1000 };
const BLOCKED_OR_MUTED = { block: "/users/me/blocked", mute: "/users/me/muted" };
const NOBODY = { block: "You block nobody.", mute: "You mute nobody." };
const MANY = 100; // the largest page that the server gives

export function profile(name, list) {
  return { at: name === me.name ? "profile" : undefined, title: `@${name}`, show: async (walk) => {
    const person = await get(userPath(name)).catch((problem) => blocked(name, problem, walk));
    if (!person) return;
    head(profileSheet(person, walk), el("div", { className: "head" }, tabs([
      ["Posts", place("user", name), !(list in LISTS)],
      ["Followers", place("user", name, { list: "followers" }), list === "followers"],
      ["Following", place("user", name, { list: "following" }), list === "following"],
    ])));
    if (list in LISTS) await stream(`${userPath(name)}/${list}`, personRow, LISTS[list]);
    else await stream(`${userPath(name)}/posts`, postCard, "No posts yet.");
  } };
}

// Whoever one blocks is not there for one, but for the way back.
async function blocked(name, problem, { again }) {
  if (problem.status !== 404 || me.state !== "member" || !(await isBlocked(name))) throw problem;
  const button = el("button", { type: "button", onclick: () => attempt(button, async () => {
    await call("DELETE", `${userPath(name)}/block`);
    if (!(await again())) return;
    at("head").querySelector(".do button")?.focus();
    notify(`@${name} is not blocked any more.`);
  }) }, "Unblock");
  head(titled(`@${name}`));
  at("stream").replaceChildren(vacant("You block this person. Neither of you sees the other.", button));
  return null;
}

async function isBlocked(name) {
  let cursor = null;
  do {
    const page = await get(BLOCKED_OR_MUTED.block, { limit: MANY, cursor });
    if (page.items.some((person) => person.username === name)) return true;
    cursor = page.next;
  } while (cursor);
  return false;
}

function profileSheet(person, walk) {
  const figures = el("div", { className: "figures" });
  const draw = () => figures.replaceChildren(
    el("span", {}, el("strong", {}, figure(person.postCount)), ` ${several(person.postCount, "post")}`),
    el("a", { href: place("user", person.username, { list: "followers" }) }, el("strong", {}, figure(person.followerCount)), ` ${several(person.followerCount, "follower")}`),
    el("a", { href: place("user", person.username, { list: "following" }) }, el("strong", {}, figure(person.followingCount)), " following"));
  draw();
  const links = person.links.map(safeAddress).filter(Boolean);
  return el("section", { className: "sheet profile", "aria-label": "Profile" },
    face(person, true),
    el("div", {},
      el("h1", {}, person.display_name || person.username),
      el("div", { className: "byline" }, el("span", { className: "handle" }, `@${person.username}`),
        person.role !== "user" && el("span", { className: "role" }, person.role)),
      person.bio && el("p", {}, lively(person.bio)),
      links.length > 0 && el("p", {}, links.flatMap((href) => [el("a", { href, rel: "noopener nofollow ugc me", target: "_blank" }, href), " "])),
      figures),
    el("div", { className: "do" }, person.username === me.name ? own(person, walk) : others(person, draw, walk)));
}

function own(person, { again }) {
  const uploads = "uploads" in at("dialog").dataset;
  const [picture, input] = uploads ? picker("Change picture", (file) => attempt(picture, async () => {
    if (!(await setAvatar(file))) return;
    me.profile = await get("/users/me");
    await again();
    notify("Your picture is changed.");
  })) : [];
  const fields = () => [
    field("Name", limited(el("input", { name: "display_name", value: person.display_name || "" }), LONGEST.name, { spelled: (text) => text.normalize("NFC") })),
    field("About you", limited(el("textarea", { name: "bio", value: person.bio || "" }), LONGEST.bio)),
    !uploads && field("Address of your picture", el("input", { name: "avatar", type: "url", value: person.avatar || "" })),
  ];
  const save = (given) => {
    const changes = Object.entries(given).map(([name, value]) => [name, value.trim() || null]);
    return call("PATCH", "/users/me", Object.fromEntries(changes));
  };
  const button = el("button", { type: "button", className: "quiet", onclick: () => attempt(button, async () => {
    const saved = await ask("Your profile", fields(), { action: "Save", work: save });
    if (!saved) return;
    me.profile = saved;
    if (await again()) at("head").querySelector(".do button")?.focus();
  }) }, "Edit profile");
  return [button, picture, input, el("a", { className: "quietly", href: place("people", "blocked") }, "Blocked and muted")];
}

function others(person, draw, { go }) {
  const follow = followButton(person, draw);
  if (me.state !== "member") return [follow];
  const mute = el("button", { type: "button", className: "quiet" });
  const drawMute = () => { mute.textContent = person.isMuted ? "Unmute" : "Mute"; };
  mute.addEventListener("click", () => attempt(mute, async () => {
    if (!person.isMuted) {
      if (!(await blockOrMute(person, "mute"))) return;
    } else {
      await call("DELETE", `${userPath(person.username)}/mute`);
    }
    person.isMuted = !person.isMuted;
    drawMute();
  }));
  drawMute();
  const block = el("button", { type: "button", className: "quiet", onclick: () => attempt(block, async () => {
    if (!(await blockOrMute(person, "block"))) return;
    go(`${ROOT}/social`);
    notify(`@${person.username} is blocked.`);
  }) }, "Block");
  return [follow, mute, block];
}

export function blockedOrMuted(kind) {
  return { title: "Blocked and muted", show: async () => {
    if (!isMember()) return;
    head(titled("Blocked and muted",
      tabs([["Blocked", place("people", "blocked"), kind === "block"], ["Muted", place("people", "muted"), kind === "mute"]])));
    await stream(BLOCKED_OR_MUTED[kind], (person) => blockedOrMutedCard(person, kind), NOBODY[kind]);
  } };
}

function blockedOrMutedCard(person, kind) {
  const text = kind === "block" ? "Unblock" : "Unmute";
  const button = el("button", { type: "button", className: "quiet", "aria-label": `${text} @${person.username}`, onclick: () => attempt(button, async () => {
    await call("DELETE", `${userPath(person.username)}/${kind}`);
    takeAway(card, NOBODY[kind]);
    notify(`@${person.username} is not ${kind === "block" ? "blocked" : "muted"} any more.`);
  }) }, text);
  const card = el("div", { className: "sheet blocked-or-muted" }, personCard(person), button);
  return card;
}
