/** The few statistics the results need. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** Of what took so many milliseconds. */
export type Spread = { p50: number; p99: number };

export function spreadOf(values: readonly number[]): Spread {
  return { p50: median(values), p99: quantile(values, 0.99) };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Three significant digits, thousands apart. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const rounded = Number(value.toPrecision(3));
  return rounded >= 1_000 ? rounded.toLocaleString('en-US') : String(rounded);
}

/** Every digit, thousands apart: for counts that have to add up. */
export function exact(count: number): string {
  return count.toLocaleString('en-US');
}

export function hours(ms: number): string {
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(0)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
