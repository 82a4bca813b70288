/**
 * A stranger's text, safe to show on a terminal. Control characters move the cursor and rewrite what was
 * said; format characters turn the direction of writing around. Each is shown as what it is.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `\\u{${point.toString(16)}}`;
  });
}
