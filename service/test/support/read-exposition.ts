/** A scrape: each series with its labels as in the text, and its value. */
export type Exposed = Map<string, number>;

export function readExposition(text: string): Exposed {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** Returns the sum of all series of a name with these labels. */
export function sumOf(exposed: Exposed, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return [...exposed]
    .filter(([series]) => series === name || series.startsWith(`${name}{`))
    .filter(([series]) => wanted.every((label) => series.includes(label)))
    .reduce((sum, [, value]) => sum + value, 0);
}
