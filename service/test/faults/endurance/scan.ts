import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files under a directory that hold these bytes. */
export function filesWith(directory: string, text: string): string[] {
  const wanted = Buffer.from(text);
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(wanted));
}

/** The lines that hold this text, in any case and also where it was encoded for a URL, in base64 or in hexadecimal. */
export function linesWith(written: string, text: string): string[] {
  const forms = [text, Buffer.from(text).toString('hex'), ...base64Forms(text)].map((form) =>
    form.toLowerCase(),
  );
  return written.split('\n').filter((line) => forms.some((form) => line.toLowerCase().includes(form)));
}

/** At each of the three places where it can begin inside a group; what depends on its neighbours is cut off. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const coded = Buffer.from(' '.repeat(before) + text)
      .toString('base64')
      .replace(/=+$/, '');
    return coded.slice(Math.ceil((before * 8) / 6), -1);
  });
}
