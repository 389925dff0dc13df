// Loads <ts-ranking>, also known as <nostalgic-ranking>. Works as a module and, as pages of the earlier system have it,
// as a classic script, which knows its own address only by the element that loads it.
import(document.currentScript ? new URL("modules/ranking.js", document.currentScript.src).href : "./modules/ranking.js");
