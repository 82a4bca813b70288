/** No database keeps half a surrogate pair or a NUL, so such a text could not be returned as it was submitted. */
export function isStorable(text: string | undefined): boolean {
  return text === undefined || (text.isWellFormed() && !text.includes('\0'));
}

/** What cannot be an id need not be looked up, and need not fit what a database takes for text. */
export function isId(text: string): boolean {
  return /^\w{1,64}$/.test(text);
}
