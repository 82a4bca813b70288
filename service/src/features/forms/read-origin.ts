/**
 * An origin as browsers send it (RFC 6454 section 6.1): scheme, host and port, without a path. `undefined` for anything
 * that no browser would send.
 */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, href } = new URL(text);
  const isPlain = href === `${origin}/`;
  return isPlain && (protocol === 'https:' || protocol === 'http:') ? origin : undefined;
}
