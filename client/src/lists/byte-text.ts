/**
 * Text that holds a byte in each character (Latin-1), which is what rows are read from: made from bytes and turned
 * back into them. `TextDecoder` knows no such encoding; what it calls latin1 is Windows-1252.
 */

/** Few enough for the arguments of one call. */
const pieceBytes = 8_192;

export function toByteText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += pieceBytes)
    text += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  return text;
}

export function fromByteText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
