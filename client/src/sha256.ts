/**
 * SHA-256 (FIPS 180-4) of a text, as hexadecimal. The platform's own is missing in a page that was not loaded
 * over https, and this client promises to run wherever fetch does. It names requests; it keeps no secret.
 */
export function sha256(text: string): string {
  const words = pad(new TextEncoder().encode(text));
  const { roundConstants, state } = constants();
  const schedule = new Uint32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    schedule.set(words.subarray(block, block + 16));
    for (let i = 16; i < 64; i += 1) {
      const [near, far] = [at(schedule, i - 2), at(schedule, i - 15)];
      const sigma0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
      const sigma1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      schedule[i] = (at(schedule, i - 16) + sigma0 + at(schedule, i - 7) + sigma1) | 0;
    }
    compress(state, schedule, roundConstants);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** Section 6.2.2: the 64 rounds over one block. */
function compress(state: Uint32Array, schedule: Uint32Array, roundConstants: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const first = (h + sum1 + choice + at(roundConstants, i) + at(schedule, i)) | 0;
    [h, g, f, e] = [g, f, e, (d + first) | 0];
    [d, c, b, a] = [c, b, a, (first + sum0 + majority) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + word;
}

/** Section 5.1.1: a single bit, zeros, and the length in bits, to a multiple of 512. */
function pad(bytes: Uint8Array): Uint32Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return Uint32Array.from({ length: padded.length / 4 }, (_, i) => view.getUint32(i * 4));
}

/** Sections 4.2.2 and 5.3.3: the first 32 bits after the point of the roots of the first primes. */
function constants(): { roundConstants: Uint32Array; state: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => ((root - Math.floor(root)) * 0x1_0000_0000) >>> 0;
  return {
    roundConstants: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    state: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  };
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
