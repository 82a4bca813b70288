import { limitTable } from '@mailproof/engine';

/** docs/limits.md, made from the engine's table so that the two cannot differ. */
export function limitsPage(): string {
  const rows = Object.entries(limitTable).map(
    ([name, { value, meaning }]) =>
      `| \`${name}\` | ${value.toLocaleString('en-US')} ${unitOf(name)} | ${meaning} |`,
  );
  return [
    '# Limits of the engine',
    '',
    'Every wait has a deadline and every buffer a maximum. This page is written from `engine/src/limits.ts` by',
    '`npm run docs`.',
    '',
    '| name | limit | of what |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Units stand last in a name. */
function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'ms';
  if (name.endsWith('S')) return 's';
  const word = /(?:Bytes|Octets|Characters|Lines)$/.exec(name)?.[0];
  return word?.toLowerCase() ?? '';
}
