// Uploading images: pictures of posts, and avatars, which are cropped here.

import { ask, el, field } from "./page.js";
import { noteMe, requestAsMe } from "./session.js";

export const ACCEPTED = "image/jpeg,image/png,image/webp,image/gif";
const LARGEST = 12 << 20; // bytes that the server takes
const FRAME = 256; // pixels of the square in the dialog
const SIDE = 800; // of the picture that is sent
const STEP = 8; // pixels that an arrow key moves it

export class BadFile extends Error {}

export function upload(file, alt = "") {
  if (file.size > LARGEST) throw new BadFile(`Use an image of at most ${LARGEST >> 20} MB.`);
  return requestAsMe("POST", `/images?${new URLSearchParams({ alt })}`, file);
}

// A picker of one image; the browser opens it when the button is clicked.
export function picker(label, chosen, properties = {}) {
  const input = el("input", { type: "file", accept: ACCEPTED, hidden: true, onchange: () => {
    const [file] = input.files;
    input.value = "";
    if (file) chosen(file);
  } });
  const button = el("button", { type: "button", className: "quiet", onclick: () => input.click(), ...properties }, label);
  return [button, input];
}

// A small square of an image that is not uploaded yet.
export function thumbnail(file) {
  const canvas = el("canvas", { width: 128, height: 128, "aria-hidden": "true" });
  createImageBitmap(file, { imageOrientation: "from-image" }).then((image) => {
    const side = Math.min(image.width, image.height);
    canvas.getContext("2d").drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, 128, 128);
  }).catch(() => {}); // the server says what is wrong with it
  return canvas;
}

// Crop an image to a square and make it the avatar. Answers null if that was cancelled.
export async function setAvatar(file) {
  const image = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
  if (!image) throw new BadFile("This is not an image that your browser can show.");
  const canvas = el("canvas", { width: FRAME, height: FRAME, className: "crop", tabIndex: 0, role: "img",
    "aria-label": "Your picture. Drag it, or move it with the arrow keys." });
  const zoom = el("input", { type: "range", min: 1, max: 4, step: 0.05, value: 1, oninput: () => draw() });
  const fit = 1 / Math.min(image.width, image.height); // the shorter side fills the square
  const middle = { x: image.width / 2, y: image.height / 2 }; // of the square, in pixels of the image

  const shown = () => 1 / (fit * Number(zoom.value)); // pixels of the image in the square
  const paint = (target) => {
    const side = shown();
    target.getContext("2d").drawImage(image, middle.x - side / 2, middle.y - side / 2, side, side, 0, 0, target.width, target.height);
  };
  const within = (value, length) => Math.min(length - shown() / 2, Math.max(shown() / 2, value));
  const draw = () => {
    middle.x = within(middle.x, image.width);
    middle.y = within(middle.y, image.height);
    canvas.getContext("2d").clearRect(0, 0, FRAME, FRAME);
    paint(canvas);
  };
  const move = (x, y) => {
    middle.x -= (x * shown()) / FRAME;
    middle.y -= (y * shown()) / FRAME;
    draw();
  };
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => canvas.hasPointerCapture(event.pointerId) && move(event.movementX, event.movementY));
  canvas.addEventListener("keydown", (event) => {
    const [x, y] = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key] ?? [0, 0];
    if (!x && !y) return;
    event.preventDefault();
    move(x, y);
  });
  draw();
  return ask("Your picture", [canvas, field("Zoom", zoom)], { action: "Save", work: async () => {
    const square = el("canvas", { width: SIDE, height: SIDE });
    paint(square);
    const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
    const blob = await new Promise((resolve) => square.toBlob(resolve, type, 0.92));
    const saved = await requestAsMe("PUT", "/images/avatar", blob);
    noteMe({ avatar: saved.url });
    return saved;
  } });
}
