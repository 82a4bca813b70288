import {
  copyStore,
  openStore,
  StoreOpenError,
  StoreUnavailableError,
  type CopyAnswer,
  type OpenStoreOptions,
} from '@mailproof/service';
import { defineCommand, type Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse, say } from '../store/answer.ts';

const place = 'sqlite:DIR|postgres://…';

export const copyCommand = defineCommand({
  name: 'copy',
  takes: `--from ${place} --to ${place} [--json]`,
  summary: 'copy an installation to another database, books balanced',
  options: {
    from: { type: 'text', placeholder: place, meaning: 'the database to copy; no service may run on it' },
    to: { type: 'text', placeholder: place, meaning: 'an empty database' },
    json: { type: 'flag', meaning: '{accounts, tasks, entries, rows, violations}' },
  },
  notes: [
    'Copies one moment, and audits the books on both sides. Sessions, results and what was learnt of mail hosts come along. Where it breaks off, drop the new database and begin again.',
  ],
  examples: ['mailproof copy --from sqlite:./data --to postgres://owner@db/mailproof'],
  words: { least: 0, most: 0 },
  async run({ options, ...surroundings }) {
    const [from, to] = [readPlace(options.from), readPlace(options.to)];
    if (from === undefined || to === undefined) {
      return refuse(
        `--from and --to may be sqlite:DIR or postgres://user:password@host/database`,
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
    return { kind: 'sqlite', opening: { dataDir: text.slice(7), check: true } };
  }
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === '') return undefined;
  return { kind: 'postgres', opening: { dataDir: '', check: true, databaseUrl: text } };
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
      const onProgress = (table: string, rows: number) => terminal.progress(`${table}: ${rows} rows`);
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
        'a service runs on the database to be copied, or ran until half a minute ago: stop it, then try again',
        surroundings,
      );
    case 'target_not_empty':
      return refuse(
        `the database to copy to is not empty (there are rows in ${answer.table}): name an empty one`,
        surroundings,
      );
    case 'differs':
      surroundings.terminal.tell(`mailproof: the copy differs: ${answer.detail}; drop it and begin again`);
      return exitCodes.found;
    case 'copied': {
      const { accounts, tasks, entries, rows, violations } = answer;
      const words = `copied ${accounts} accounts, ${tasks} tasks, ${entries} entries (${rows} rows): ${
        violations.length === 0
          ? 'the books balance on both sides'
          : `${violations.length} violations on both sides`
      }`;
      await say([{ row: { accounts, tasks, entries, rows, violations }, words }], options, surroundings);
      return violations.length === 0 ? exitCodes.ok : exitCodes.found;
    }
  }
}
