/** Nothing where it is no address. `URL.parse` would do, but is younger than fetch in many places. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
