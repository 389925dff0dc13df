// Lines of HTML to paste into a page of one's own, with buttons that copy them.

import { at } from "./page.js";

export const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

export function say(output, text, bad = false) {
  output.textContent = text;
  output.classList.toggle("bad", bad);
}

// A button with data-copy copies the text of the element with that id, and says so in the output after it.
export function offerCopies() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = at(button.dataset.copy);
      const told = button.nextElementSibling;
      try {
        await navigator.clipboard.writeText(source.textContent);
        say(told, "Copied");
      } catch {
        getSelection().selectAllChildren(source);
        say(told, "Press Ctrl+C to copy");
      }
    });
  }
}
