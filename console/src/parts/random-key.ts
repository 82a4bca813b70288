/** Nothing secret: it tells one request from another. `randomUUID` is missing where a page came over plain http. */
export function randomKey(): string {
  return `console-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
