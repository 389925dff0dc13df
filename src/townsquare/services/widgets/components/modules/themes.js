// Every theme but the light one, which widgets have by themselves.

import { THEMES } from "./shared.js";

THEMES.replaceSync(`
:host([theme=dark]) { --paper: #0d1117; --ink: #e6edf3; --frame: #30363d; --accent: #ff7b72 }
:host([theme=retro]) { --paper: #000000; --ink: #39ff14; --frame: #808080; --accent: #ffff00; --corner: 0; --face: var(--mono);
  --edge: 3px double; --back: repeating-linear-gradient(#0000 0 2px, #0d2b0d 2px 4px) var(--paper) }
:host([theme=kawaii]), :host([theme=mom]) { --face: "Comic Sans MS", "M PLUS Rounded 1c", "Hiragino Maru Gothic ProN", ui-rounded, sans-serif; --digits: var(--face) }
:host([theme=kawaii]) { --paper: #fff0f6; --ink: #a61e4d; --frame: #f06595; --accent: #bc1558; --corner: 12px; --edge: 2px dotted;
  --dot: radial-gradient(#ffd6e8 2px, #0000 2.5px); --back: var(--dot) 0 0 / 12px 12px, var(--dot) 6px 6px / 12px 12px var(--paper) }
:host([theme=mom]) { --paper: #fbfff6; --ink: #22592f; --frame: #6aa874; --accent: #a8380a; --corner: 8px; --edge: 2px dashed;
  --check: #d3ecc980 50%, #0000 0; --back: linear-gradient(90deg, var(--check)) 0 0 / 12px 12px, linear-gradient(var(--check)) 0 0 / 12px 12px var(--paper) }
:host([theme=final]) { --paper: #060b3a; --ink: #ffffff; --frame: #c8d4ff; --accent: #ffe066; --corner: 6px; --face: var(--mono);
  --edge: 2px solid; --back: linear-gradient(#2340c0, #0000) var(--paper) }
:host([theme=github]) { --paper: #f6f8fa; --ink: #24292f; --frame: #d0d7de; --accent: #0969da; --corner: 6px }
`);
