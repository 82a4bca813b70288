/** Tells whether a text can be an id. Other texts need no look-up, and may not fit a database's text type. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}
