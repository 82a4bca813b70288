/** Formats of numbers and times. They are the same in every browser, except for the reader's time zone. */

/** Returns 1,234,567. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Returns a share with one decimal, unless that is zero. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const share = (100 * part) / whole;
  return `${share === 0 || share >= 99.95 || share === Math.round(share) ? Math.round(share) : share.toFixed(1)} %`;
}

/** Returns 12.3 MB, in decimal units. */
export function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Returns 5 minutes: the largest unit alone, for sentences. */
export function roughly(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 1);
  if (whole < 60) return counted(whole, 'second');
  if (whole < 3_600) return counted(Math.round(whole / 60), 'minute');
  if (whole < 172_800) return counted(Math.round(whole / 3_600), 'hour');
  return counted(Math.round(whole / 86_400), 'day');
}

/** Returns the two largest units, the second only if it is not zero. */
export function duration(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return inUnits(whole, [60, 'min'], [1, 's']);
  if (whole < 86_400) return inUnits(whole, [3_600, 'h'], [60, 'min']);
  return inUnits(whole, [86_400, 'd'], [3_600, 'h']);
}

type Unit = readonly [seconds: number, name: string];

function inUnits(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  const first = `${Math.floor(seconds / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** Returns 12 ms or 1.4 s. */
export function elapsed(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Returns 2026-03-04 15:06, in the reader's time zone. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
