/**
 * Dates in a workbook are numbers of days that a style shows as a date (ECMA-376 part 1, sections 18.8.30 and 18.17.4.1).
 * The numbers of built-in formats are fixed; others are told by the letters of their code.
 */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if ((id >= 14 && id <= 22) || (id >= 45 && id <= 47)) return true;
  if (code === undefined) return false;
  // Quoted text, escaped characters and [colours] mean nothing here.
  return /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''));
}

const dayMs = 86_400_000;

/** ISO 8601; the time of day only where there is one. What is no date comes out as the number it is. */
export function spreadsheetDate(days: number, is1904: boolean): string {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_465) return String(days);
  // Excel believes in 29 February 1900, so days before March of that year are off by one; nobody's list has them.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(epoch + Math.round(days * 86_400) * 1_000);
  const iso = date.toISOString();
  if (days < 1 && !is1904) return iso.slice(11, 19);
  return (date.getTime() - epoch) % dayMs === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}
