import { limitTable } from '@mailproof/engine';
import {
  oidcLimitTable,
  peopleLimitTable,
  postgresLimitTable,
  refusalLimitTable,
  sandboxLimitTable,
  webhookLimitTable,
  workbookLimitTable,
} from '@mailproof/service';

/** docs/limits.md, made from the tables themselves so that they cannot differ. */
export function limitsPage(): string {
  return [
    '# Limits of the engine',
    '',
    'Every wait has a deadline and every buffer a maximum. This page is written from the tables in the code',
    '(`engine/src/limits.ts` and others) by `npm run docs`.',
    '',
    ...rowsOf(limitTable),
    '',
    '# Limits of refusals',
    '',
    'Answers of 401, 403, 404, 405, 429 and 503. The refused client bears the delay: see [queues.md](queues.md).',
    '',
    ...rowsOf(refusalLimitTable),
    '',
    '# Limits of the sandbox',
    '',
    'Single verifications with a test key, unless `MAILPROOF_SANDBOX_DELAYS` is off. The account that asks bears',
    'the delay: see [sandbox.md](sandbox.md).',
    '',
    ...rowsOf(sandboxLimitTable),
    '',
    '# Limits of webhooks',
    '',
    ...rowsOf(webhookLimitTable),
    '',
    '# Limits of workbooks',
    '',
    'A workbook (.xlsx) is read in a thread with a heap of its own. One beyond these limits is refused: see',
    '[checking-lists.md](checking-lists.md).',
    '',
    ...rowsOf(workbookLimitTable),
    '',
    '# Limits of people and their sign-in',
    '',
    ...rowsOf({ ...peopleLimitTable, ...oidcLimitTable }),
    '',
    '# Limits towards PostgreSQL',
    '',
    'These limits apply to each process. Limits on the server are set for every session.',
    '',
    ...rowsOf(postgresLimitTable),
    '',
  ].join('\n');
}

function rowsOf(table: Record<string, { value: number; meaning: string }>): string[] {
  const rows = Object.entries(table).map(
    ([name, { value, meaning }]) =>
      `| \`${name}\` | ${`${value.toLocaleString('en-US')} ${unitOf(name)}`.trimEnd()} | ${meaning} |`,
  );
  return ['| name | limit | meaning |', '| --- | --- | --- |', ...rows];
}

/** Units stand last in a name. */
function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'ms';
  if (name.endsWith('S')) return 's';
  const word = /(?:Bytes|Octets|Characters|Lines)$/.exec(name)?.[0];
  return word?.toLowerCase() ?? '';
}
