// What the comments say in English. Other languages are files of their own, which only their readers load.

import { HOME } from "./client.js";

const plural = (number, one, many) => `${number} ${number === 1 ? one : many}`;

const LANGUAGES = ["ja"];

// English where there is no other file, or where it does not come.
export async function wordsIn(language) {
  if (!LANGUAGES.includes(language)) return ENGLISH;
  try {
    return { ...ENGLISH, ...(await import(`${HOME}/components/comments-${language}.js`)).WORDS };
  } catch {
    return ENGLISH;
  }
}

export const ENGLISH = {
  comments: "Comments", count: (n) => plural(n, "comment", "comments"), sort: "Sort by",
  sorts: { new: "Newest", old: "Oldest", top: "Top", hot: "Hot", controversial: "Controversial" },
  needText: "Write something first.", needName: "Enter your name.", write: "Write a comment", answer: (name) => `Reply to ${name}`, edit: "Edit", save: "Save", post: "Post", reply: "Reply", cancel: "Cancel",
  preview: "Preview", name: "Your name", orSignIn: "or sign in", signIn: "Sign in", signOut: "Sign out",
  remove: "Delete", sure: "Delete this comment?", keeps: "Its replies stay.", more: "More", moreOf: (name) => `More for the comment by ${name}`, moreComments: "Show more comments",
  moreReplies: (n) => `Show ${plural(n, "more reply", "more replies")}`, fresh: (n) => plural(n, "new comment", "new comments"),
  up: "Vote up", down: "Vote down", points: (n) => plural(n, "point", "points"), report: "Report", pin: "Pin", unpin: "Unpin", pinned: "Pinned", goTo: "Go to the comment",
  approve: "Approve", reject: "Reject", ban: "Ban the author", banned: "The author is banned", days: "Days (0: permanent)", purge: "Remove their comments here too",
  pending: "Waiting for approval", rejected: "Rejected", deleted: "This comment was deleted", edited: "edited", fold: "Fold", unfold: "Unfold",
  by: (name, when) => `Comment by ${name}, ${when}`, empty: "No comments yet. Write the first one!", closed: "Comments are closed.",
  posted: "Your comment is posted", held: "Thank you. A moderator will look at your comment first.", saved: "Saved", removed: "Deleted", reported: "Thank you, the moderators will look at it.",
  fromStart: "Show the thread from its start", gone: "This comment is not here any more.", loading: "Loading comments…", failed: "The comments could not be loaded.", again: "Try again",
  unreachable: "The server cannot be reached.", typing: (names) => `${names} is typing…`, someone: "Somebody", readers: (n) => `${n} reading`,
  ways: { code: "Code by email", password: "Password", google: "Google", github: "GitHub", anonymous: "As a guest" }, blocked: "The window could not open. Allow it in your browser and try again.", email: "Email", code: "The six digits that we sent", send: "Send me a code",
  login: "Email or username", password: "Password", go: "Continue", choose: "Choose a name",
  why: "What is wrong?", details: "Details (optional)", done: "Done",
  reasons: { spam: "Spam", harassment: "Harassment", hate_speech: "Hate speech", misinformation: "Misinformation", other: "Something else" },
};
