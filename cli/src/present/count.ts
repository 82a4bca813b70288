/** 1,234,567, the same everywhere. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** 1 address, 2 addresses. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
