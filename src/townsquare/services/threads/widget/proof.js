// The work that the server asks of strangers who write a lot: a number that makes a SHA-256 begin with zero bits.
// Pages without https have no crypto.subtle, and calling that a million times would be slower than this.

const SHARE = 20_000; // tries before the page may breathe
const K = new Int32Array(64); // of cube roots of primes, and what the hash begins with, of square roots
const START = new Int32Array(8);
for (let number = 2, found = 0; found < 64; number += 1) {
  let divisor = 2;
  while (number % divisor) divisor += 1;
  if (divisor < number) continue;
  if (found < 8) START[found] = (number ** 0.5 % 1) * 2 ** 32;
  K[found] = (number ** (1 / 3) % 1) * 2 ** 32;
  found += 1;
}

const words = new Int32Array(64);
const turned = (word, by) => (word >>> by) | (word << (32 - by));

// One block of 64 bytes, taken into the state.
function digest(state, bytes, from) {
  for (let at = 0; at < 16; at += 1) {
    const place = from + at * 4;
    words[at] = (bytes[place] << 24) | (bytes[place + 1] << 16) | (bytes[place + 2] << 8) | bytes[place + 3];
  }
  for (let at = 16; at < 64; at += 1) {
    const early = words[at - 15];
    const late = words[at - 2];
    words[at] = words[at - 16] + words[at - 7] + (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)) + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let at = 0; at < 64; at += 1) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + K[at] + words[at]) | 0;
    const other = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  return Int32Array.of(state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e, state[5] + f, state[6] + g, state[7] + h);
}

export async function solve(challenge, difficulty) {
  const begin = new TextEncoder().encode(`${challenge}:`);
  const whole = begin.length & ~63; // the bytes of full blocks are the same for every try
  let known = START;
  for (let from = 0; from < whole; from += 64) known = digest(known, begin, from);
  const rest = begin.subarray(whole);
  const block = new Uint8Array(128);
  block.set(rest);
  for (let number = 0; ; number += 1) {
    if (number % SHARE === SHARE - 1) await new Promise((resume) => setTimeout(resume));
    const digits = String(number);
    let length = rest.length;
    for (let at = 0; at < digits.length; at += 1) block[length++] = digits.charCodeAt(at);
    const bits = (whole + length) * 8;
    const size = length < 56 ? 64 : 128;
    block[length] = 128;
    block.fill(0, length + 1);
    block[size - 2] = bits >> 8;
    block[size - 1] = bits;
    let state = digest(known, block, 0);
    if (size === 128) state = digest(state, block, 64);
    if (state[0] >>> (32 - difficulty) === 0) return `${challenge}:${number}`;
  }
}
