// What the page shows, by its address.

import { ask, at, attempt, el, field, notify, several } from "/shared/page.js";
import { call, get, isMember, me, post as postPath, user as userPath } from "./api.js";
import { figure, lively, place, safeAddress } from "./dom.js";
import { face, personCard, postCard, shun } from "./cards.js";

const PAGE = 20;
const LONGEST = 5000;

export function viewOf(address) {
  const asked = address.searchParams;
  const q = (asked.get("q") || "").trim();
  if (asked.get("user")) return profile(asked.get("user"), asked.get("list"));
  if (asked.get("tag")) return hashtag(asked.get("tag"), asked.get("order") === "top");
  if (asked.get("post")) return onePost(asked.get("post"));
  if (/^[#＃]./.test(q)) return hashtag(q.slice(1), false);
  if (q) return people(q.replace(/^@/, ""));
  if (asked.get("feed") === "following") return members("following", "Following", "/feed/following", "Follow somebody, and their posts are here.");
  if (asked.get("feed") === "bookmarks") return members("bookmarks", "Bookmarks", "/users/me/bookmarked", "Posts that you bookmark are kept here.");
  return explore();
}

function explore() {
  return { at: "explore", title: "Explore", show: async () => {
    head(me.state === "member" ? compose() : welcome());
    await stream("/feed/explore", postCard, "Nothing has been posted yet.");
  } };
}

function members(name, title, path, empty) {
  return { at: name, title, show: async () => {
    if (!isMember()) return;
    head(el("div", { className: "head" }, el("h1", {}, title)), name === "following" && compose());
    await stream(path, postCard, empty);
  } };
}

function hashtag(tag, top) {
  const name = tag.replace(/^[#＃]/, "");
  return { title: `#${name}`, show: async () => {
    head(el("div", { className: "head" }, el("h1", {}, `#${name}`),
      tabs([["Newest", place("tag", name), !top], ["Best", place("tag", name, { order: "top" }), top]])));
    const path = `/feed/hashtag/${encodeURIComponent(name)}`;
    await stream(top ? `${path}/ranked` : path, postCard, "No posts with this hashtag.");
  } };
}

function onePost(id) {
  return { title: "Post", show: async () => {
    const item = await get(postPath(id));
    document.title = `${item.author.display_name || item.author.username}: ${item.post.content.slice(0, 60)}`;
    at("stream").replaceChildren(postCard(item));
  } };
}

function people(prefix) {
  return { title: prefix, show: async () => {
    head(el("div", { className: "head" }, el("h1", {}, `People: ${prefix}`)));
    await stream("/search/users", personCard, "Nobody's name begins so.", { q: prefix });
  } };
}

function profile(name, list) {
  return { title: `@${name}`, show: async () => {
    const person = await get(userPath(name));
    head(profileSheet(person), el("div", { className: "head" }, tabs([
      ["Posts", place("user", name), !list],
      ["Followers", place("user", name, { list: "followers" }), list === "followers"],
      ["Following", place("user", name, { list: "following" }), list === "following"],
    ])));
    if (list === "followers" || list === "following") {
      await stream(`${userPath(name)}/${list}`, personCard, "Nobody yet.");
    } else {
      await stream(`${userPath(name)}/posts`, postCard, "No posts yet.");
    }
  } };
}

const head = (...parts) => at("head").replaceChildren(...parts.filter(Boolean));

function tabs(choices) {
  return el("nav", { className: "tabs", "aria-label": "Lists" },
    choices.map(([text, href, here]) => el("a", { href, "aria-current": here ? "page" : null }, text)));
}

// A list that grows page by page.
async function stream(path, card, empty, query = {}) {
  const list = at("stream");
  const more = at("more");
  let next = null;
  const load = async () => {
    const page = await get(path, { ...query, limit: PAGE, cursor: next });
    const cards = page.items.map(card);
    list.append(...cards);
    next = page.next;
    more.replaceChildren(...(next ? [button] : []));
    return cards;
  };
  const button = el("button", { type: "button", className: "quiet", onclick: () => attempt(button, async () => {
    const [first] = await load();
    first?.querySelector("a.name, button")?.focus();
  }) }, "More");
  if (!(await load()).length && !next) list.append(el("p", { className: "empty" }, empty));
}

function welcome() {
  if (me.state === "nameless") {
    return el("p", { className: "sheet" }, "Choose a username on ", el("a", { href: "/accounts/account" }, "your account"), ", and you can post here.");
  }
  if (me.state === "newcomer") {
    const button = el("button", { type: "button", onclick: () => attempt(button, async () => {
      await call("POST", "/users/me");
      location.reload();
    }) }, "Make my profile");
    return el("p", { className: "sheet" }, "You have no profile here yet. ", button);
  }
  return null;
}

function compose() {
  const words = el("textarea", { name: "content", id: "compose", required: true, placeholder: "What is going on? #hashtags are found by themselves", "aria-label": "Your post" });
  const picture = el("input", { name: "media_url", type: "url", placeholder: "https://… of a picture", "aria-label": "Address of a picture" });
  const left = el("span", { className: "left", "aria-hidden": "true" });
  const send = el("button", {}, "Post");
  const count = () => {
    const length = [...words.value.trim()].length;
    left.textContent = length ? `${LONGEST - length}` : "";
    left.classList.toggle("bad", length > LONGEST);
  };
  words.addEventListener("input", count);
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const form = el("form", { className: "sheet compose", "aria-label": "Write a post", onsubmit: (event) => {
    event.preventDefault();
    attempt(send, async () => {
      const post = await call("POST", "/posts", { content: words.value, media_url: picture.value || null });
      const card = postCard({ post, isLiked: false, isBookmarked: false, author: me.profile });
      at("stream").querySelector(".empty")?.remove();
      at("stream").prepend(card);
      form.reset();
      count();
      notify("Posted.");
    });
  } }, words, el("div", { className: "row" }, picture, left, send));
  return form;
}

function profileSheet(person) {
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
    el("div", { className: "do" }, person.username === me.name ? own(person) : others(person, draw)));
}

function own(person) {
  const button = el("button", { type: "button", className: "quiet", onclick: () => attempt(button, async () => {
    const given = await ask("Your profile", [
      field("Name", el("input", { name: "display_name", maxLength: 100, value: person.display_name || "" })),
      field("About you", el("textarea", { name: "bio", maxLength: 1000, value: person.bio || "" })),
      field("Address of your picture", el("input", { name: "avatar", type: "url", value: person.avatar || "" })),
    ], { action: "Save" });
    if (!given) return;
    const changes = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim() || null]));
    await call("PATCH", "/users/me", changes);
    location.reload();
  }) }, "Edit profile");
  return button;
}

function others(person, draw) {
  const follow = el("button", { type: "button" });
  const drawFollow = () => {
    follow.textContent = person.isFollowing ? "Following" : "Follow";
    follow.setAttribute("aria-pressed", person.isFollowing);
    follow.classList.toggle("quiet", person.isFollowing);
  };
  follow.addEventListener("click", () => {
    if (!isMember()) return;
    attempt(follow, async () => {
      const done = await call(person.isFollowing ? "DELETE" : "POST", `${userPath(person.username)}/follow`);
      person.isFollowing = !person.isFollowing;
      if (done.changed) person.followerCount += person.isFollowing ? 1 : -1;
      drawFollow();
      draw();
    });
  });
  drawFollow();
  if (me.state !== "member") return [follow];
  const mute = el("button", { type: "button", className: "quiet" });
  const drawMute = () => { mute.textContent = person.isMuted ? "Unmute" : "Mute"; };
  mute.addEventListener("click", () => attempt(mute, async () => {
    if (!person.isMuted) {
      if (!(await shun(person, "mute"))) return;
    } else {
      await call("DELETE", `${userPath(person.username)}/mute`);
    }
    person.isMuted = !person.isMuted;
    drawMute();
  }));
  drawMute();
  const block = el("button", { type: "button", className: "quiet", onclick: () => attempt(block, async () => {
    if (await shun(person, "block")) location.assign("/social");
  }) }, "Block");
  return [follow, mute, block];
}
