import type { Client, ListRecord } from '@mailproof/client';
import {
  defineCommand,
  exitCodes,
  type Command,
  type CommandGroup,
  type ExitCode,
  type Surroundings,
} from '../../command.ts';
import { clientOptions, openClient, ServiceProblem, tellProblems } from '../../api/connection.ts';
import { presentInFull, presentInOneLine } from './present-list.ts';
import { refuseToOverwrite, saveDownload } from './save-download.ts';

const json = { type: 'flag', meaning: 'print the list as one JSON object, as the API returns it' } as const;
const howToGoOn = 'Try again.';

type Given = { url: string | undefined; 'key-file': string | undefined };

/** Connects, does the work, and tells in one line what stopped it. */
function withLists(
  given: Given,
  surroundings: Surroundings,
  work: (client: Client) => Promise<ExitCode>,
): Promise<ExitCode> {
  return tellProblems(async () => work(await openClient(given, surroundings)), surroundings, howToGoOn);
}

async function print(text: string, { terminal }: Surroundings): Promise<ExitCode> {
  await terminal.write(`${text}\n`);
  return exitCodes.ok;
}

const list = defineCommand({
  name: 'lists list',
  takes: '[--json]',
  summary: 'list all lists of the account, newest first; the same as lists alone',
  options: {
    json: { type: 'flag', meaning: 'print one list per line, as the API returns it' },
    ...clientOptions,
  },
  examples: ['mailproof lists', 'mailproof lists list --json'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withLists(options, surroundings, async ({ lists }) => {
      const { terminal, signal } = surroundings;
      let after: string | undefined;
      let count = 0;
      do {
        const page = await lists.page({ after, signal });
        for (const one of page.lists)
          await print(options.json ? JSON.stringify(one) : presentInOneLine(one), surroundings);
        count += page.lists.length;
        after = page.next ?? undefined;
      } while (after !== undefined);
      if (count === 0) terminal.tell('No lists yet. To check one, run mailproof check FILE --output FILE.');
      return exitCodes.ok;
    }),
});

type Action = {
  name: string;
  summary: string;
  act: (client: Client, listId: string, signal: AbortSignal) => Promise<ListRecord>;
};

/** Defines a command that takes the id of a list and prints the list. */
function defineAction({ name, summary, act }: Action): Command {
  return defineCommand({
    name: `lists ${name}`,
    takes: 'ID [--json]',
    summary,
    options: { json, ...clientOptions },
    examples: [`mailproof lists ${name} ID`],
    words: { required: ['ID'], most: 1 },
    run: ({ options, positionals: [id = ''], ...surroundings }) =>
      withLists(options, surroundings, async (client) => {
        const answered = await act(client, id, surroundings.signal);
        return print(options.json ? JSON.stringify(answered) : presentInFull(answered), surroundings);
      }),
  });
}

const start = defineCommand({
  name: 'lists start',
  takes: 'ID [--first N] [--json]',
  summary: 'start checking a list; this reserves credits without asking',
  options: {
    first: {
      type: 'text',
      placeholder: 'N',
      meaning: 'check only the first N addresses of the file',
    },
    json,
    ...clientOptions,
  },
  examples: [`mailproof lists start ID`],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withLists(options, surroundings, async ({ lists }) => {
      const first = readFirst(options.first);
      const { signal } = surroundings;
      const started = await lists.start(id, { signal, ...(first === undefined ? {} : { first }) });
      return print(options.json ? JSON.stringify(started) : presentInFull(started), surroundings);
    }),
});

function readFirst(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new ServiceProblem(exitCodes.usage, '--first must be a whole number from 1 on');
}

const download = defineCommand({
  name: 'lists download',
  takes: 'ID --output FILE [--rows ROWS] [--json]',
  summary: 'write a list with its results to a file; while it runs, with the results so far',
  options: {
    output: {
      type: 'text',
      placeholder: 'FILE',
      meaning: 'file to write; .xlsx and .jsonl choose these formats, anything else is CSV',
    },
    rows: {
      type: 'text',
      placeholder: 'ROWS',
      meaning: 'all, sendable, risky, undeliverable, or statuses with commas between them (default: all)',
    },
    'no-roles': { type: 'flag', meaning: 'leave role accounts out of the sendable ones' },
    force: { type: 'flag', meaning: 'overwrite the output if it exists' },
    json: { type: 'flag', meaning: 'print {list_id, rows, output}' },
    ...clientOptions,
  },
  examples: [`mailproof lists download ID --output good.csv --rows sendable`],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [listId = ''], ...surroundings }) =>
    withLists(options, surroundings, async (client) => {
      const { output, rows = 'all', force } = options;
      const { signal } = surroundings;
      if (output === undefined || output === '-')
        throw new ServiceProblem(exitCodes.usage, 'Missing --output FILE');
      await refuseToOverwrite(output, force);
      await saveDownload({ listId, output, rows, roles: !options['no-roles'], signal }, client);
      const written = { list_id: listId, rows, output };
      return print(options.json ? JSON.stringify(written) : `Written to ${output}`, surroundings);
    }),
});

const remove = defineCommand({
  name: 'lists delete',
  takes: 'ID [--json]',
  summary: 'erase a list at once, even while it runs; checked addresses are charged',
  options: { json: { type: 'flag', meaning: 'print {list_id}' }, ...clientOptions },
  examples: [`mailproof lists delete ID`],
  words: { required: ['ID'], most: 1 },
  run: ({ options, positionals: [listId = ''], ...surroundings }) =>
    withLists(options, surroundings, async ({ lists }) => {
      await lists.remove(listId, { signal: surroundings.signal });
      return print(options.json ? JSON.stringify({ list_id: listId }) : `Deleted ${listId}`, surroundings);
    }),
});

export const listsCommand: CommandGroup = {
  kind: 'group',
  name: 'lists',
  summary: 'view and manage the lists that a service checks',
  byDefault: 'list',
  actions: {
    list,
    show: defineAction({
      name: 'show',
      summary: 'show the content and the progress of a list',
      act: ({ lists }, id, signal) => lists.read(id, { signal }),
    }),
    start,
    pause: defineAction({
      name: 'pause',
      summary: 'pause a list: no further address is started until it is resumed',
      act: ({ lists }, id, signal) => lists.pause(id, { signal }),
    }),
    resume: defineAction({
      name: 'resume',
      summary: 'resume a paused list',
      act: ({ lists }, id, signal) => lists.resume(id, { signal }),
    }),
    cancel: defineAction({
      name: 'cancel',
      summary: 'end the run: checked addresses are charged and kept, the other credits return',
      act: ({ lists }, id, signal) => lists.cancel(id, { signal }),
    }),
    download,
    delete: remove,
  },
};
