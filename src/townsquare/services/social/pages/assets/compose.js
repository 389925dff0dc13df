// Writing a post, and what is there instead for those who cannot yet.

import { at, attempt, el, limited, notify } from "../../shared/page.js";
import { ROOT } from "../../shared/root.js";
import { call, draft, findMe, me } from "./api.js";
import { postCard } from "./cards.js";

const LONGEST = 5000;

export function welcome(again) {
  if (me.state === "nameless") {
    return el("p", { className: "sheet" }, "Choose a username on ", el("a", { href: `${ROOT}/accounts/account` }, "your account"), ", and you can post here.");
  }
  if (me.state === "newcomer") {
    const button = el("button", { type: "button", onclick: () => attempt(button, async () => {
      await call("POST", "/users/me");
      await findMe();
      if (await again()) at("compose")?.focus();
    }) }, "Make my profile");
    return el("p", { className: "sheet" }, "You have no profile here yet. ", button);
  }
  return null;
}

export function compose() {
  const left = el("span", { className: "left", "aria-hidden": "true" });
  const counted = (length) => {
    left.textContent = length ? `${LONGEST - length}` : "";
    left.classList.toggle("bad", length > LONGEST);
  };
  const words = limited(
    el("textarea", { name: "content", id: "compose", required: true, placeholder: "What is happening?", "aria-label": "Your post" }),
    LONGEST, { counted });
  const picture = el("input", { name: "media_url", type: "url", placeholder: "Picture: https://…", "aria-label": "Address of a picture" });
  const send = el("button", {}, "Post");
  let create = draft("/posts");
  const unfold = () => form.classList.remove("folded");
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const form = el("form", { className: "sheet compose folded", "aria-label": "Write a post", onfocusin: unfold, onsubmit: (event) => {
    event.preventDefault();
    attempt(send, async () => {
      const post = await create({ content: words.value, media_url: picture.value || null });
      create = draft("/posts");
      at("stream").querySelector(".empty")?.remove();
      at("stream").prepend(postCard({ post, isLiked: false, isBookmarked: false, author: me.profile }));
      form.reset();
      counted(0);
      notify("Posted.");
    });
  } }, words, el("div", { className: "row" }, picture, left, send));
  const write = el("button", { type: "button", id: "write", title: "Write a post", "aria-label": "Write a post", onclick: () => {
    unfold();
    words.focus();
  } }, "✎");
  return el("div", {}, form, write);
}
