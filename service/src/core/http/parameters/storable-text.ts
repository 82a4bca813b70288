/** Tells whether a text can be returned as it was submitted: no database keeps half a surrogate pair or a NUL. */
export function isStorable(text: string | undefined): boolean {
  return text === undefined || (text.isWellFormed() && !text.includes('\0'));
}

/** Tells whether a text can be an id. Other texts need no look-up, and may not fit a database's text type. */
export function isId(text: string): boolean {
  return /^\w{1,64}$/.test(text);
}
