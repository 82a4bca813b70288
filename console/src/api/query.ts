/** `?limit=50&before=…`, without what is not set. */
export function query(fields: Record<string, string | number | undefined>): string {
  const set = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}
