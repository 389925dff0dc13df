// Writing a post, and what is there instead for those who cannot yet.

import { at, attempt, el, limited, notify } from "../../shared/page.js";
import { picker, thumbnail, upload } from "../../shared/images.js";
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

// A picture that is uploaded when the post is sent.
function chosenPicture() {
  let file = null;
  let sent = null; // not uploaded again if only the post has failed
  const preview = el("div", { className: "attached", hidden: true });
  const alt = el("input", { name: "media_alt", maxLength: 1000, placeholder: "What does it show? (for those who cannot see it)", "aria-label": "Description of the picture" });
  const clear = () => {
    file = sent = null;
    alt.value = "";
    preview.hidden = true;
    preview.replaceChildren();
  };
  const [choose, input] = picker("Add a picture", (chosen) => {
    clear();
    file = chosen;
    preview.hidden = false;
    preview.replaceChildren(thumbnail(file), alt,
      el("button", { type: "button", className: "quiet", onclick: () => { clear(); choose.focus(); } }, "Remove"));
    alt.focus();
  });
  const media = async () => {
    if (!file) return { media_url: null };
    sent ??= await upload(file, alt.value);
    return { media_url: sent.url, media_alt: alt.value || null };
  };
  return { preview, control: el("span", { className: "picture" }, choose, input), media, clear };
}

function linkedPicture() {
  const control = el("input", { name: "media_url", type: "url", placeholder: "Picture: https://…", "aria-label": "Address of a picture" });
  return { preview: "", control, media: async () => ({ media_url: control.value || null }), clear: () => {} };
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
  const picture = "uploads" in at("dialog").dataset ? chosenPicture() : linkedPicture();
  const send = el("button", {}, "Post");
  let create = draft("/posts");
  const unfold = () => form.classList.remove("folded");
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const form = el("form", { className: "sheet compose folded", "aria-label": "Write a post", onfocusin: unfold, onsubmit: (event) => {
    event.preventDefault();
    attempt(send, async () => {
      const post = await create({ content: words.value, ...(await picture.media()) });
      create = draft("/posts");
      at("stream").querySelector(".empty")?.remove();
      at("stream").prepend(postCard({ post, isLiked: false, isBookmarked: false, author: me.profile }));
      form.reset();
      picture.clear();
      counted(0);
      notify("Posted.");
    });
  } }, words, picture.preview, el("div", { className: "row" }, picture.control, left, send));
  const write = el("button", { type: "button", id: "write", title: "Write a post", "aria-label": "Write a post", onclick: () => {
    unfold();
    words.focus();
  } }, "✎");
  return el("div", {}, form, write);
}
