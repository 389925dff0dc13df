// A live example of comments on the home page. Nothing is stored.

import { el } from "../../shared/page.js";
import { answerSamples, SAMPLE } from "./sample.js";

answerSamples();
const comments = el("ts-comments");
comments.setAttribute("site", SAMPLE);
comments.setAttribute("api-base", SAMPLE);
document.querySelector("[data-example=comments]").append(comments);
