import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the files under a directory that contain these bytes. */
export function filesWith(directory: string, text: string): string[] {
  const wanted = Buffer.from(text);
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(wanted));
}

/**
 * Returns the lines that contain this text, in any case, and also if it is URL-encoded, in base64 or in
 * hexadecimal.
 */
export function linesWith(written: string, text: string): string[] {
  const forms = [text, Buffer.from(text).toString('hex'), ...base64Forms(text)].map((form) =>
    form.toLowerCase(),
  );
  return written.split('\n').filter((line) => forms.some((form) => line.toLowerCase().includes(form)));
}

/**
 * Returns the base64 forms at each of the three offsets within a group, without the characters that depend on
 * neighbours.
 */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const coded = Buffer.from(' '.repeat(before) + text)
      .toString('base64')
      .replace(/=+$/, '');
    return coded.slice(Math.ceil((before * 8) / 6), -1);
  });
}
