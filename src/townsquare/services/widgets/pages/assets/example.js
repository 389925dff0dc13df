// Live examples of widgets on the home page. Nothing is stored.

import "../../components/modules/counter.js";
import "../../components/modules/like.js";
import { answerSamples, SAMPLE } from "./sample.js";

const SETTINGS = { icon: "heart" };

answerSamples((name) => SETTINGS[name] ?? "");
for (const [name, theme] of [["counter", "retro"], ["like", "light"]]) {
  const widget = document.createElement(`ts-${name}`);
  for (const [key, text] of Object.entries({ id: SAMPLE, "api-base": SAMPLE, theme, digits: "6" })) widget.setAttribute(key, text);
  document.querySelector(`[data-example=${name}]`).append(widget);
}
