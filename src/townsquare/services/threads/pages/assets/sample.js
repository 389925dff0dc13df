// Comments that the page answers itself, to show how they look before there is a site.

import "../../components/comments.js";

export const SAMPLE = "sample";
const HOUR = 3_600_000;
const people = { ann: { id: "ann", name: "Ann" }, bob: { id: "bob", name: "Bob" }, you: { id: "you", name: "You" } };
let number = 0;

const comment = (author, html, hours, more = {}) => ({
  id: `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`, page_id: SAMPLE, parent_id: null, depth: 0, author: people[author], content: "", content_html: html,
  upvotes: 0, downvotes: 0, my_vote: null, reply_count: more.replies?.length ?? 0, status: "approved", edited: false, pinned_at: null,
  created_at: new Date(Date.now() - hours * HOUR).toISOString(), updated_at: "", replies: [], replies_next: null, ...more,
});

const comments = [
  comment("ann", "<p>This is what a comment looks like. <strong>Markdown</strong> works, and so does <code>code</code>.</p>", 2, {
    upvotes: 7, replies: [comment("bob", "<p>And this is a reply. Vote on it, answer it, try everything: nothing is kept.</p>", 1, { upvotes: 3 })],
  }),
  comment("bob", "<p>The oldest one, at the end.</p>", 26, { upvotes: 1 }),
];

const site = { name: "Your site", sign_in: ["code", "password", "anonymous"], default_sort: "new", edit_minutes: 15, posting_disabled: false, pageviews: false, vote_counts: true, presence: true, typing: false };
const all = (list) => list.flatMap((one) => [one, ...all(one.replies)]);
const found = (path) => all(comments).find((one) => path.includes(one.id));
const asHtml = (text) => `<p>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`;

function vote(one, direction) {
  const count = { up: "upvotes", down: "downvotes" };
  const before = one.my_vote;
  if (before) one[count[before]] -= 1;
  one.my_vote = before === direction ? null : direction;
  if (one.my_vote) one[count[direction]] += 1;
  return { upvotes: one.upvotes, downvotes: one.downvotes, my_vote: one.my_vote };
}

function answer(method, path, given) {
  if (path === "/session") return { site, user: { ...people.you, avatar_url: null, role: "user", kind: "account", named: true } };
  if (path === "/preview") return { content_html: asHtml(given.content) };
  if (path.endsWith("/vote")) return vote(found(path), given.direction);
  if (method === "POST") return { comment: comment("you", asHtml(given.content), 0, { content: given.content, parent_id: given.parent_id }), page_url: SAMPLE };
  if (method === "PATCH") return { ...comment("you", asHtml(given.content), 0), content: given.content, edited: true };
  if (path !== "/comments") return {};
  return { page_id: SAMPLE, comments: structuredClone(comments), next: null, total: 3, sort: given.sort || "new", pinned: [], closed: false };
}

export function answerSamples() {
  customElements.get("ts-comments").samples.set(SAMPLE, async (...asked) => answer(...asked));
}
