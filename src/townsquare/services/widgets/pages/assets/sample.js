// What the preview shows before there is a widget: figures, names and messages that a page could have. Nothing is sent.

import { samples } from "../../components/modules/shared.js";

export const SAMPLE = "sample"; // base and id of the widget that is not there yet

const FIGURES = { total: 12345, today: 42, yesterday: 57, week: 311, month: 1289 };
const SCORES = [["Ann", 12840], ["Bob", 9999], ["Chloé", 7050]];
const MESSAGES = [["Bob", "Nice place you have here!", "2001-07-14T18:05:00Z"], ["Ann", "Hello from the old web.", "2001-07-13T20:30:00Z"]];

let liked = false;
let written = [];

const pictureOf = (theme) => document.querySelector(`[name=theme][value=${theme}] ~ img`).src;

const message = ([author, text, timestamp], place) => ({ id: `sample-${place}`, author, message: text, timestamp, icon: null, selects: {}, userHash: "5a3c91f0" });

function board(given) {
  const messages = [...written, ...MESSAGES].map(message);
  const icons = (given("icons") || "").split(",").map((icon) => icon.trim()).filter(Boolean);
  return { title: given("title"), messages, totalMessages: messages.length, currentPage: 1, settings: { icons, selects: [] },
    pagination: { page: 1, totalPages: 1, hasPrev: false, hasNext: false } };
}

function ranking(given) {
  const sorted = given("sortOrder") === "asc" ? [...SCORES].reverse() : SCORES;
  return { title: given("title"), entries: sorted.map(([name, score], place) => ({ rank: place + 1, name, score, displayScore: "" })) };
}

const ANSWERS = {
  visit: (given, action, { format, theme }) => (format === "image" ? pictureOf(theme) : FIGURES),
  like(given, action) {
    if (action === "toggle") liked = !liked;
    return { total: liked ? 42 : 41, liked, icon: given("icon") };
  },
  ranking,
  bbs(given, action, { author, message: text }) {
    if (action === "post") written = [[author || "Anonymous", text, new Date().toISOString()], ...written];
    return board(given);
  },
};

// `given` tells what the form says now.
export function answerSamples(given) {
  samples.set(SAMPLE, (path, action, params) => {
    const answer = ANSWERS[path](given, action, params);
    if (typeof answer === "string") return answer;
    const widget = { id: SAMPLE, url: location.href, ...answer };
    return action === "batchGet" ? { [SAMPLE]: widget } : widget;
  });
}
