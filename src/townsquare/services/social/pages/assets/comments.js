// The comments of one post: opened below it, read, written, deleted.

import { attempt, el, limited, notify, when } from "../../shared/page.js";
import { call, draft, get, isMember, me, post as postPath } from "./api.js";
import { figure, icon, lively, place } from "./dom.js";

const BUBBLE = "M4 5h16v11H9l-5 4z";
const LONGEST = 10_000;
const PAGES = 10; // that are read to find a linked comment

// The button that opens them, and the region that they are shown in.
export function discussion(post) {
  const button = el("button", { type: "button", "data-deed": "comments", "aria-expanded": "false" });
  const region = el("section", { className: "comments", hidden: true, "aria-label": "Comments" });
  const draw = () => {
    button.setAttribute("aria-label", `Comments, ${post.commentsCount}`);
    button.replaceChildren(icon(BUBBLE), figure(post.commentsCount));
  };
  const counted = (change) => {
    post.commentsCount = Math.max(0, post.commentsCount + change);
    draw();
  };
  button.addEventListener("click", () => {
    const open = region.hidden;
    region.hidden = !open;
    button.setAttribute("aria-expanded", open);
    if (open && !region.hasChildNodes()) attempt(button, () => fill(post, region, counted));
  });
  draw();
  return [button, region];
}

async function fill(post, region, counted) {
  const list = el("ol");
  const more = el("button", { type: "button", className: "quiet", hidden: true }, "Show more comments");
  const path = `${postPath(post.id)}/comments`;
  let cursor = null;
  const load = async () => {
    const part = await get(path, { cursor });
    list.append(...part.comments.map((comment) => item(path, comment, counted)));
    cursor = part.next;
    more.hidden = cursor === null;
  };
  more.addEventListener("click", () => attempt(more, load));
  const linked = decodeURIComponent(location.hash.slice(1));
  await load();
  for (let page = 1; page < PAGES && cursor && linked.startsWith("comment-") && !list.querySelector(`#${CSS.escape(linked)}`); page++) await load();
  region.replaceChildren(list, more, form(path, null, (comment) => list.append(item(path, comment, counted)), counted));
  const target = linked && list.querySelector(`#${CSS.escape(linked)}`);
  if (!target) return;
  target.classList.add("linked");
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "center" });
}

function item(path, comment, counted) {
  const draw = (some) => some.map((reply) => item(path, reply, counted));
  const replies = el("ol", {}, draw(comment.replies));
  const one = el("li", { id: `comment-${comment.id}` });
  let cursor = comment.replies_next;
  const more = el("button", { type: "button", className: "quiet", hidden: cursor == null, onclick: () => attempt(more, async () => {
    const part = await get(`${path}/${encodeURIComponent(comment.id)}/replies`, { cursor: cursor || null });
    replies.append(...draw(part.comments));
    cursor = part.next;
    more.hidden = cursor === null;
  }) }, "Show more replies");
  if (!comment.author) {
    one.append(el("p", { className: "place" }, "This comment was deleted."), replies, more);
    return one;
  }
  const name = comment.author.name;
  const answer = el("button", { type: "button", className: "quiet", onclick: () => {
    if (!isMember() || one.querySelector(":scope > form")) return;
    const added = (reply) => {
      replies.append(item(path, reply, counted));
      reply_form.remove();
      answer.focus();
    };
    const reply_form = form(path, comment.id, added, counted);
    answer.after(reply_form);
    reply_form.querySelector("textarea").focus();
  } }, "Reply");
  const mine = name === me.name && el("button", { type: "button", className: "quiet", onclick: (event) => attempt(event.currentTarget, async () => {
    await call("DELETE", `${path}/${encodeURIComponent(comment.id)}`);
    counted(-1);
    if (replies.hasChildNodes() || !more.hidden) one.replaceChildren(el("p", { className: "place" }, "This comment was deleted."), replies, more);
    else one.remove();
    notify("Your comment is deleted.");
  }) }, "Delete");
  one.append(...[
    el("p", { className: "byline" }, el("a", { className: "name", href: place("user", name) }, name), when(Date.parse(comment.created_at))),
    el("p", { className: "words" }, lively(comment.content)),
    answer, mine, replies, more,
  ].filter(Boolean));
  return one;
}

function form(path, parent, added, counted) {
  if (me.state !== "member") {
    return el("p", {}, el("button", { type: "button", className: "quiet", onclick: () => isMember() }, "Sign in to comment"));
  }
  const words = limited(el("textarea", { name: "content", required: true, rows: 2, placeholder: "Write a comment", "aria-label": parent ? "Your reply" : "Your comment" }), LONGEST);
  const send = el("button", {}, parent ? "Reply" : "Comment");
  let create = draft(path);
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) made.requestSubmit();
  });
  const made = el("form", { onsubmit: (event) => {
    event.preventDefault();
    attempt(send, async () => {
      const comment = await create({ content: words.value, ...(parent ? { parent_id: parent } : {}) });
      create = draft(path);
      made.reset();
      counted(1);
      const region = made.closest(".comments");
      region.dataset.own = Number(region.dataset.own || 0) + 1; // not news
      added({ ...comment, replies: [] });
    });
  } }, words, send);
  return made;
}
