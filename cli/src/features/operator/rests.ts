import { endRests, listRests, type ListedRest } from '@mailproof/service';
import { defineCommand, type CommandGroup } from '../../command.ts';
import { printRows, refuse, withStore, type PrintedRow } from '../../store/with-store.ts';

const list = defineCommand({
  name: 'rests list',
  takes: '[--json]',
  summary:
    'list mail hosts, providers and egress routes that rest for now, and closed egress addresses, the longest first',
  options: {
    json: {
      type: 'flag',
      meaning: 'print {kind, name, reason, until}, one per line; until is null if it is not known',
    },
  },
  examples: ['mailproof rests', 'mailproof rests list --json'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const rests = await listRests(parts);
      if (rests.length === 0) surroundings.terminal.tell('No mail host is left alone');
      return await printRows(rests.map(restRow), options, surroundings);
    }),
});

const end = defineCommand({
  name: 'rests end',
  takes: 'NAME | --all [--json]',
  summary: 'end a rest, so that its mail host is asked again within seconds',
  options: {
    all: { type: 'flag', meaning: 'end every rest' },
    json: { type: 'flag', meaning: 'print {kind, name}, one per line' },
  },
  notes: [
    'NAME is as mailproof rests prints it: a provider, the domain of mail hosts, an IP address, an egress address of ours, or an egress route that providers block. A host that refuses again is left alone again. An egress address that is opened while a block list has it stays open for a day. The audit log records each end of a rest.',
  ],
  examples: ['mailproof rests end yahoo', 'mailproof rests end 192.0.2.7', 'mailproof rests end --all'],
  words: { required: [], most: 1 },
  run: async ({ options, positionals: [name], ...surroundings }) => {
    if ((name === undefined) === !options.all) return refuse('Give one NAME, or --all', surroundings);
    return withStore(surroundings, async (parts) => {
      const { ended } = await endRests(name === undefined ? 'all' : { name }, parts);
      if (ended.length === 0 && name !== undefined)
        return refuse(
          `${JSON.stringify(name)} is not left alone. To see the rests, run mailproof rests.`,
          surroundings,
        );
      const rows = ended.map((row): PrintedRow => ({ row, words: `${row.name} may be asked again` }));
      return await printRows(rows, options, surroundings);
    });
  },
});

export const restsCommand: CommandGroup = {
  kind: 'group',
  name: 'rests',
  summary: 'list and end rests: mail hosts that are left alone for now',
  byDefault: 'list',
  actions: { list, end },
};

function restRow({ kind, name, reason, until }: ListedRest): PrintedRow {
  const at = until === undefined ? null : new Date(until).toISOString();
  return {
    row: { kind, name, reason, until: at },
    words: `${name.padEnd(32)} ${kind.padEnd(9)} ${reason.padEnd(24)} until ${at ?? 'it is removed'}`,
  };
}
