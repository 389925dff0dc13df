// Loads <ts-counter>, also known as <nostalgic-counter>. Works as a module and, as pages of the earlier system have it,
// as a classic script, which knows its own address only by the element that loads it.
import(document.currentScript ? new URL("modules/counter.js", document.currentScript.src).href : "./modules/counter.js");
