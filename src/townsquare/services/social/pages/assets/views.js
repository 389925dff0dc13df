// What the page shows, by its address.

import { at, attempt, el, notify, several } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { signInAddress } from "../../shared/session.js";
import { door, get, getAnyway, isMember, me, post as postPath } from "./api.js";
import { personRow, postCard } from "./cards.js";
import { compose, welcome } from "./compose.js";
import { place } from "./dom.js";
import { profile, blockedOrMuted } from "./profiles.js";
import { head, stream, tabs, titled, unseenHeading, vacant } from "./stage.js";

const LONGEST_NAME = 30;

export function viewOf(address) {
  const asked = address.searchParams;
  const q = (asked.get("q") || "").trim();
  if (asked.get("user")) return profile(asked.get("user"), asked.get("list"));
  if (asked.get("tag")) return hashtag(asked.get("tag"), asked.get("order") === "top");
  if (asked.get("post")) return onePost(asked.get("post"));
  if (/^[#＃]./.test(q)) return hashtag(q.slice(1), false);
  if (q) return people(q.replace(/^@/, ""));
  if (asked.get("feed") === "following") return members("following", "Following", "/feed/following", "Posts of the people you follow appear here. Explore, and follow someone you like.");
  if (asked.get("feed") === "bookmarks") return members("bookmarks", "Bookmarks", "/users/me/bookmarked", "No bookmarks yet. Bookmark a post to find it here again.");
  if (asked.get("people")) return blockedOrMuted(asked.get("people") === "muted" ? "mute" : "block");
  return explore();
}

function explore() {
  return { at: "explore", title: "Explore", show: async ({ again }) => {
    head(unseenHeading("Explore"), me.state === "member" ? compose() : welcome(again));
    await stream("/feed/explore", postCard, invitation());
  } };
}

function invitation() {
  const first = "Nothing has been posted yet. Be the first to say hello!";
  if (me.state !== "visitor" || !door.open) return first;
  return el("span", {}, first, " ", el("a", { href: signInAddress() }, "Join in"));
}

function members(name, title, path, empty) {
  return { at: name, title, show: async () => {
    if (!isMember()) return;
    head(titled(title), name === "following" && compose());
    await stream(path, postCard, name === "following" ? await suggestions(empty) : empty);
  } };
}

// Something to do in an empty feed.
async function suggestions(text) {
  const { items } = await get("/search/users/newest", { limit: 6 });
  const others = items.filter((person) => person.username !== me.name).slice(0, 5);
  return el("div", {}, el("p", {}, text), others.map(personRow), el("a", { href: `${ROOT}/social` }, "Explore all posts"));
}

function hashtag(tag, top) {
  const name = tag.replace(/^[#＃]/, "");
  return { title: `#${name}`, show: async () => {
    head(titled(`#${name}`,
      tabs([["Newest", place("tag", name), !top], ["Best", place("tag", name, { order: "top" }), top]])));
    const path = `/feed/hashtag/${encodeURIComponent(name)}`;
    await stream(top ? `${path}/ranked` : path, postCard, "No posts with this hashtag. Be the first to use it!");
  } };
}

function onePost(id) {
  return { title: "Post", show: async () => {
    const item = await get(postPath(id));
    const author = item.author.display_name || item.author.username;
    document.title = `${author}: ${[...item.post.content].slice(0, 60).join("")}`;
    const copy = el("button", { type: "button", className: "quiet", onclick: () => attempt(copy, async () => {
      await navigator.clipboard.writeText(new URL(place("post", id), location.origin).href);
      notify("The link is copied.");
    }) }, "Copy link");
    head(unseenHeading(`Post by ${author}`), el("div", { className: "row around" }, el("a", { href: place("user", item.author.username) }, `← Posts by ${author}`), copy));
    const card = postCard(item);
    at("stream").replaceChildren(card);
    card.querySelector("[data-deed=comments]").click();
    watch(id, card);
  } };
}

const WATCH_MS = 10_000;

// Look for new comments while the post is shown; they appear when asked for, so that nothing moves.
function watch(id, card) {
  let count = null;
  const look = async () => {
    if (!card.isConnected) return;
    if (!document.hidden && !card.querySelector(".newer")) {
      const { post } = await getAnyway(postPath(id)).catch(() => ({}));
      const region = card.querySelector(".comments");
      const added = post && count !== null ? post.commentsCount - count - Number(region.dataset.own || 0) : 0;
      if (post && count === null) count = post.commentsCount;
      if (added > 0) region.prepend(el("button", { type: "button", className: "quiet newer", onclick: () => {
        region.replaceChildren();
        card.querySelector("[data-deed=comments]").click();
        card.querySelector("[data-deed=comments]").click();
        count = null;
        delete region.dataset.own;
      } }, `Show ${added} new ${several(added, "comment")}`));
    }
    setTimeout(look, WATCH_MS);
  };
  look();
}

function people(prefix) {
  return { title: prefix, show: async () => {
    const nobody = "No name starts with that. Try fewer letters.";
    head(titled(`People: ${prefix}`));
    if (prefix.length > LONGEST_NAME || !prefix) at("stream").append(vacant(nobody));
    else await stream("/search/users", personRow, nobody, { q: prefix });
  } };
}
