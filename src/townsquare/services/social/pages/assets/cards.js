// A post, and a person, as they are shown in lists.

import { ask, attempt, avatar, el, field, isNowhere, limited, notify, several, when } from "../../shared/page.js";
import { call, isMember, me, post as postPath, user as userPath } from "./api.js";
import { figure, icon, lively, place, safeAddress } from "./dom.js";
import { discussion } from "./comments.js";
import { takeAway } from "./stage.js";

const HEART = "M12 20.5C5 15.5 3 12 3 8.6A4.6 4.6 0 0 1 12 6.5a4.6 4.6 0 0 1 9 2.1c0 3.4-2 6.9-9 11.9z";
const RIBBON = "M6 3.5h12v17l-6-4.5-6 4.5z";
const EDIT_MS = 15 * 60 * 1000;
const LONGEST = { post: 5000, reason: 500 };

export function face(person, big = false) {
  const inside = avatar(person.display_name || person.username, person.avatar);
  return el("a", { className: big ? "face big" : "face", href: place("user", person.username), tabIndex: -1, "aria-hidden": "true" }, inside);
}

function role(person) {
  return person.role === "user" ? null : el("span", { className: "role" }, person.role);
}

export function postCard(item) {
  const { post, author } = item;
  const card = el("article", { className: "sheet post", id: `post-${post.id}`, "aria-label": `Post by ${author.username}` });
  const draw = () => card.replaceChildren(
    face(author),
    el("div", {},
      el("div", { className: "byline" },
        el("a", { className: "name", href: place("user", author.username) }, author.display_name || author.username),
        role(author),
        el("span", { className: "handle" }, `@${author.username}`),
        el("a", { href: place("post", post.id) }, when(post.created_at)),
        post.edited_at && el("span", { className: "edited" }, "edited")),
      el("p", { className: "words" }, lively(post.content)),
      media(post),
      ...deeds(item, card, draw)),
  );
  draw();
  return card;
}

function media(post) {
  const address = post.media_url && safeAddress(post.media_url);
  if (!address) return null;
  const link = el("a", { className: "media", href: address, rel: "noopener nofollow ugc", target: "_blank" });
  const size = /\/images\/img_\w+\/(\d+)x(\d+)\.webp$/.exec(address); // one of ours has several sizes
  const [width, height] = size?.slice(1).map(Number) ?? [];
  const at = (name, longest) => `${new URL(`${name}.webp`, address).href} ${Math.round(width * Math.min(1, longest / Math.max(width, height)))}w`;
  const shown = el("img", {
    alt: post.media_alt || "Picture of this post", loading: "lazy", referrerPolicy: "no-referrer",
    ...(size && { width, height, sizes: "(max-width: 52rem) 90vw, 32rem", srcset: `${at("small", 480)}, ${at("medium", 960)}, ${address} ${width}w` }),
    src: address,
  });
  shown.addEventListener("error", () => link.replaceChildren(address));
  link.append(shown);
  return link;
}

function deeds(item, card, draw) {
  const [commentsButton, comments] = discussion(item.post);
  return [el("div", { className: "deeds" },
    mark(item, "like", "isLiked", "likesCount", HEART, ["Like", "Liked"]),
    mark(item, "bookmark", "isBookmarked", "bookmarksCount", RIBBON, ["Bookmark", "Bookmarked"]),
    commentsButton,
    me.state === "member" && menu(item, card, draw)), comments];
}

function mark({ post, ...item }, deed, flag, counter, path, [off, on]) {
  const button = el("button", { type: "button", "data-deed": deed });
  let marked = item[flag];
  const draw = () => {
    button.setAttribute("aria-pressed", marked);
    button.setAttribute("aria-label", `${marked ? on : off}, ${post[counter]}`);
    button.replaceChildren(icon(path), figure(post[counter]));
  };
  button.addEventListener("click", () => {
    if (!isMember()) return;
    button.focus(); // a key of the page pressed it, or a browser that does not focus what is clicked
    attempt(button, async () => {
      const done = await call(marked ? "DELETE" : "POST", `${postPath(post.id)}/${deed}`);
      marked = !marked;
      post[counter] = done.count;
      draw();
    });
  });
  draw();
  return button;
}

function menu(item, card, draw) {
  const { post, author } = item;
  const mine = author.username === me.name;
  const goBack = () => { // the menu has closed, and the card may be drawn anew
    if (isNowhere()) card.querySelector("summary")?.focus();
  };
  const choice = (text, work, bad = false) =>
    el("button", { type: "button", className: bad ? "bad" : "", onclick: (event) => attempt(event.currentTarget, work).finally(goBack) }, text);
  const young = Date.now() - post.created_at < EDIT_MS;
  const choices = mine
    ? [young && choice("Edit", () => edit(item, draw)), choice("Delete", () => remove(post, card), true)]
    : [
      choice("Report", () => report(post)),
      choice(`Mute @${author.username}`, () => blockOrMute(author, "mute", card)),
      choice(`Block @${author.username}`, () => blockOrMute(author, "block", card), true),
    ];
  const details = el("details", {}, el("summary", { "aria-label": "More" }, "•••"), el("div", { className: "menu" }, choices));
  details.addEventListener("focusout", (event) => {
    if (!details.contains(event.relatedTarget)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    event.preventDefault();
    details.open = false;
    details.querySelector("summary").focus();
  });
  return details;
}

async function edit(item, draw) {
  const text = limited(el("textarea", { name: "content", required: true, value: item.post.content }), LONGEST.post);
  const save = ({ content }) => call("PATCH", postPath(item.post.id), { content });
  const saved = await ask("Edit your post", field("Text", text), { action: "Save", work: save });
  if (!saved) return;
  Object.assign(item.post, saved);
  draw();
}

async function remove(post, card) {
  const work = () => call("DELETE", postPath(post.id));
  const done = await ask("Delete this post?", el("p", {}, "It cannot be brought back."), { action: "Delete", bad: true, work });
  if (!done) return;
  takeAway(card);
  notify("Your post is deleted.");
}

async function report(post) {
  const reason = limited(el("textarea", { name: "reason", required: true }), LONGEST.reason);
  const work = (given) => call("POST", `${postPath(post.id)}/report`, given);
  const done = await ask("Report this post", field("What is wrong with it?", reason), { action: "Report", work });
  if (done) notify("Thank you. The moderators will look at it.");
}

export async function blockOrMute(author, kind, card) {
  const [action, says] = kind === "block"
    ? ["Block", "Neither of you will see the other any more."]
    : ["Mute", "You will not see these posts in your feeds."];
  const work = () => call("POST", `${userPath(author.username)}/${kind}`);
  const done = await ask(`${action} @${author.username}?`, el("p", {}, says), { action, bad: true, work });
  if (!done) return false;
  if (card) takeAway(card);
  notify(kind === "block" ? `@${author.username} is blocked.` : `@${author.username} is muted.`);
  return true;
}

// Wherever people appear; on a profile, whose figures `changed` draws anew, it is clear whom it follows. The server says whom one follows on a profile only; elsewhere it is known of the latest hundred.
export function followButton(person, changed = null) {
  const button = el("button", { type: "button", className: "follow" });
  const draw = () => {
    const followed = person.isFollowing || me.follows.has(person.username);
    button.textContent = followed ? "Following" : "Follow";
    if (!changed) button.setAttribute("aria-label", `${followed ? "Following" : "Follow"} @${person.username}`);
    button.setAttribute("aria-pressed", followed);
    button.classList.toggle("quiet", followed);
    return followed;
  };
  button.addEventListener("click", () => isMember() && attempt(button, async () => {
    const followed = draw();
    const done = await call(followed ? "DELETE" : "POST", `${userPath(person.username)}/follow`);
    person.isFollowing = !followed;
    if (followed) me.follows.delete(person.username);
    else me.follows.add(person.username);
    if (done.changed) person.followerCount += followed ? -1 : 1;
    draw();
    changed?.();
  }));
  draw();
  return button;
}

export function personRow(person) {
  return el("div", { className: "sheet followable" }, personCard(person), person.username !== me.name && followButton(person));
}

export function personCard(person) {
  return el("a", { className: "sheet person name", href: place("user", person.username) },
    el("span", { className: "face", "aria-hidden": "true" }, ...face(person).childNodes),
    el("span", {},
      el("strong", {}, person.display_name || person.username), " ",
      role(person),
      el("small", {}, `@${person.username} · ${figure(person.followerCount)} ${several(person.followerCount, "follower")}`)));
}
