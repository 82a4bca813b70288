import {
  copyStore,
  openStore,
  StoreOpenError,
  StoreUnavailableError,
  type CopyAnswer,
  type OpenStoreOptions,
} from '@mailproof/service';
import { defineCommand, exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import { counted } from '../present/text.ts';
import { refuse, printRows } from './with-store.ts';

const place = 'sqlite:DIR|postgres://…';

export const copyCommand = defineCommand({
  name: 'copy',
  takes: `--from ${place} --to ${place} [--json]`,
  summary: 'copy an installation to another database',
  options: {
    from: { type: 'text', placeholder: place, meaning: 'database to copy; no service may be running on it' },
    to: { type: 'text', placeholder: place, meaning: 'an empty database' },
    json: { type: 'flag', meaning: '{accounts, tasks, entries, rows, violations}' },
  },
  notes: [
    'Copies a consistent snapshot, and audits the ledger on both sides. Sessions, results and what was learned about mail hosts are included. If the copy fails, drop the new database and start again.',
  ],
  examples: ['mailproof copy --from sqlite:./data --to postgres://owner@db/mailproof'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const [from, to] = [readPlace(options.from), readPlace(options.to)];
    if (from === undefined || to === undefined) {
      return refuse(
        '--from and --to must be sqlite:DIR or postgres://user:password@host/database',
        surroundings,
      );
    }
    try {
      return await copy(from, to, { options, surroundings });
    } catch (error) {
      if (!(error instanceof StoreOpenError || error instanceof StoreUnavailableError)) throw error;
      surroundings.terminal.tell(`mailproof: ${error.message}`);
      return exitCodes.environment;
    }
  },
});

type Place = { kind: 'sqlite' | 'postgres'; opening: OpenStoreOptions };

function readPlace(text: string | undefined): Place | undefined {
  if (text?.startsWith('sqlite:') === true && text.length > 7) {
    return { kind: 'sqlite', opening: { dataDir: text.slice(7), check: true, right: 'create' } };
  }
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === '') return undefined;
  return { kind: 'postgres', opening: { dataDir: '', check: true, right: 'create', databaseUrl: text } };
}

async function copy(
  from: Place,
  to: Place,
  { options, surroundings }: { options: { json: boolean }; surroundings: Surroundings },
): Promise<ExitCode> {
  const { terminal } = surroundings;
  const source = await openStore(from.opening);
  try {
    const target = await openStore(to.opening);
    try {
      const onProgress = (table: string, rows: number) =>
        terminal.progress(`${table}: ${counted(rows, 'row')}`);
      const answer = await copyStore({ from: source, to: target, toKind: to.kind, onProgress });
      terminal.progress('');
      return await present(answer, options, surroundings);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function present(
  answer: CopyAnswer,
  options: { json: boolean },
  surroundings: Surroundings,
): Promise<ExitCode> {
  switch (answer.kind) {
    case 'source_in_use':
      return refuse(
        'A service is running on the source database, or was within the last 30 seconds. Stop it and try again.',
        surroundings,
      );
    case 'target_not_empty':
      return refuse(
        `The target database is not empty: table ${answer.table} has rows. Use an empty database.`,
        surroundings,
      );
    case 'differs':
      surroundings.terminal.tell(
        `mailproof: The copy differs from the source: ${answer.detail}. Drop the copy and start again.`,
      );
      return exitCodes.found;
    case 'copied': {
      const { accounts, tasks, entries, rows, violations } = answer;
      const copied = [
        counted(accounts, 'account'),
        counted(tasks, 'task'),
        counted(entries, 'ledger entry', 'ledger entries'),
      ];
      const balance =
        violations.length === 0
          ? 'The ledger balances on both sides.'
          : `${counted(violations.length, 'violation')} of the ledger on both sides.`;
      const words = `Copied ${copied.join(', ')} (${counted(rows, 'row')}). ${balance}`;
      await printRows(
        [{ row: { accounts, tasks, entries, rows, violations }, words }],
        options,
        surroundings,
      );
      return violations.length === 0 ? exitCodes.ok : exitCodes.found;
    }
  }
}
