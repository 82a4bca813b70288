/**
 * Takes the white space around an address off, as it comes from forms and files.
 *
 * This is not part of the syntax: a line break inside what a program calls an address is how commands are
 * smuggled, so `parseAddress` refuses every blank it meets. The API and the command line, which promise
 * to trim, call this first; whoever asks for the syntax alone does not.
 */
export function trimAddress(text: string): string {
  return text.trim();
}
