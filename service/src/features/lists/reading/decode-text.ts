/**
 * Turns the bytes of a text file into characters. A byte order mark decides; without one, zero bytes in every second
 * place mean UTF-16, and bytes that are not valid UTF-8 mean Windows-1252, which is what spreadsheets in the West
 * export when they do not say.
 */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

type DetectedEncoding = { encoding: TextEncoding; hasMark: boolean };

type EncodingEvidence = { beginning: Uint8Array; isValidUtf8: boolean };

export function detectEncoding({ beginning, isValidUtf8 }: EncodingEvidence): DetectedEncoding {
  const [first, second, third] = beginning;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'utf-8', hasMark: true };
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', hasMark: true };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', hasMark: true };
  return { encoding: unmarkedEncoding(beginning, isValidUtf8), hasMark: false };
}

function unmarkedEncoding(beginning: Uint8Array, isValidUtf8: boolean): TextEncoding {
  const zeros = [0, 0];
  for (const [index, byte] of beginning.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Mostly Latin letters in UTF-16 have a zero in nearly every pair of bytes, always on the same side.
  const manyPairs = beginning.length / 4;
  if (odd > manyPairs && even === 0) return 'utf-16le';
  if (even > manyPairs && odd === 0) return 'utf-16be';
  return isValidUtf8 ? 'utf-8' : 'windows-1252';
}

/** Characters as the bytes come in; a character cut in two by a piece's end is put together. The mark is dropped. */
export async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** Watches bytes go by and tells at the end whether all of them were UTF-8. */
export function watchUtf8(): { add: (piece: Uint8Array) => void; isValid: () => boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let valid = true;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch {
      valid = false;
    }
  };
  return {
    add: (piece) => {
      if (valid) attempt(() => decoder.decode(piece, { stream: true }));
    },
    isValid: () => {
      if (valid) attempt(() => decoder.decode());
      return valid;
    },
  };
}
