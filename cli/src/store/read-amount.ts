/** A whole number of credits from `least` to the most an account may hold; nothing where the text is none. */
export function readAmount(
  text: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const amount = Number(text);
  return amount >= least && amount <= most ? amount : undefined;
}
