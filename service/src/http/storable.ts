/** No database keeps half a surrogate pair or a NUL, so such a text could not be returned as it was submitted. */
export function isStorable(text: string | undefined): boolean {
  return text === undefined || (text.isWellFormed() && !text.includes('\0'));
}
