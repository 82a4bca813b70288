/** A list for tests, made row by row: mostly safe addresses, with duplicates, blanks, nonsense, and cells full of quotes. */
export function* makeRows(rows: number): Generator<string> {
  yield 'id,"Full ""name""",E-Mail,note\r\n';
  for (let i = 0; i < rows; i += 1) yield `${i},"Doe, ""J"" ${i}",${cellOf(i)},=1+${i}\r\n`;
}

function cellOf(i: number): string {
  if (i % 50 === 49) return '';
  if (i % 50 === 48) return 'not an address';
  if (i % 50 === 47) return `"ADA.${i - 47}@Example.com"`;
  const kinds = ['ada', 'invalid', 'unknown', 'catchall'];
  return `${kinds[i % 4] ?? ''}.${i}@example.com`;
}
