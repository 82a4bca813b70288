import {
  addProber,
  listEgress,
  listProbers,
  removeProber,
  type ListedEgress,
  type ListedProber,
} from '@mailproof/service';
import { StartError, startProber } from '@mailproof/service/prober';
import { defineCommand, exitCodes, underName, type CommandGroup } from '../../command.ts';
import { loadConfig } from '../../config.ts';
import { programVersion } from '../../program.ts';
import { createSystemdNotifier } from '../../serve/systemd-notifier.ts';
import { printRows, refuse, withStore, type PrintedRow } from '../../store/with-store.ts';

const add = defineCommand({
  name: 'probers add',
  takes: 'NAME [--egress NAMES] [--share PERCENT]',
  summary: 'add a prober; its token is shown once, works once and expires in an hour',
  options: {
    egress: {
      type: 'text',
      placeholder: 'NAMES',
      meaning:
        'the egress addresses that it may ask from: ids of its routes, separated by commas (default: default)',
    },
    share: {
      type: 'text',
      placeholder: 'PERCENT',
      meaning: 'share of the addresses that it may be asked about, 1 to 100 percent (default: 100)',
    },
    json: { type: 'flag', meaning: '{prober_id, name, token}' },
  },
  examples: [
    'mailproof probers add office',
    'mailproof probers add cloud --egress default,second --share 25',
    'mailproof prober --url https://verify.example.com --token TOKEN',
  ],
  words: { required: ['NAME'], most: 1 },
  run: ({ options, positionals: [name = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const { egress, share } = options;
      const answer = await addProber(name, parts, {
        ...(egress === undefined ? {} : { egress: egress.split(',') }),
        ...(share === undefined ? {} : { share: Number(share) }),
      });
      if (answer.kind === 'bad_egress')
        return refuse(
          'An egress address has up to 100 letters, digits, dots, colons, hyphens and underscores, and a prober up to 256 of them.',
          surroundings,
        );
      if (answer.kind === 'bad_share')
        return refuse('--share is a whole number from 1 to 100.', surroundings);
      if (answer.kind === 'bad_name')
        return refuse(
          'A name has up to 40 small letters, digits, dots and hyphens, and begins with a letter or digit.',
          surroundings,
        );
      if (answer.kind === 'name_taken')
        return refuse(
          'A prober of that name exists already. Remove it first, or choose another name.',
          surroundings,
        );
      const { proberId, token } = answer;
      if (!options.json)
        surroundings.terminal.tell(
          'Within an hour, on the machine that is to ask mail hosts: mailproof prober --url https://… --token TOKEN',
        );
      return await printRows(
        [{ row: { prober_id: proberId, name: answer.name, token }, words: token }],
        options,
        surroundings,
      );
    }),
});

const list = defineCommand({
  name: 'probers list',
  takes: '[--json]',
  summary: 'list the probers, and the egress addresses of this installation',
  options: {
    json: {
      type: 'flag',
      meaning:
        'print {prober_id, name, state, why_not, address, version, seen_at, conversations, resting, answered, unknown, egress, ignored, share}, then {egress_address, state, why_not, owner, seen_at, lease_until, conversations, resting}, one per line',
    },
  },
  examples: ['mailproof probers list'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const [probers, addresses] = [await listProbers(parts), await listEgress(parts)];
      if (probers.length === 0) surroundings.terminal.tell('No probers yet');
      return await printRows([...probers.map(proberRow), ...addresses.map(egressRow)], options, surroundings);
    }),
});

const remove = defineCommand({
  name: 'probers remove',
  takes: 'PROBER_ID',
  summary: 'remove a prober; within a second its reports are rejected',
  options: { json: { type: 'flag', meaning: '{prober_id, name}' } },
  examples: ['mailproof probers remove prb_0123456789abcdef'],
  words: { required: ['PROBER_ID'], most: 1 },
  run: ({ options, positionals: [id = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await removeProber(id, parts);
      if (answer.kind === 'not_found')
        return refuse('No such prober. To see them, run mailproof probers list.', surroundings);
      const row = { prober_id: answer.proberId, name: answer.name };
      return await printRows([{ row, words: `${answer.name} removed` }], options, surroundings);
    }),
});

function proberRow(prober: ListedProber): PrintedRow {
  const { proberId, name, state, whyNot, address, version, seenAt, conversations, resting } = prober;
  const seen = seenAt === null ? null : new Date(seenAt).toISOString();
  const { answered, unknown, given, egress, ignored, share } = prober;
  return {
    row: {
      prober_id: proberId,
      name,
      state,
      why_not: whyNot,
      address,
      version,
      seen_at: seen,
      conversations,
      resting,
      answered,
      unknown,
      given,
      egress,
      ignored,
      share,
    },
    words: [
      `${proberId}  ${name}  ${whyNot === null ? state : `${state} (${whyNot})`}`,
      seen === null ? '' : `  ${address ?? ''}  last seen ${seen}  ${answered} answered, ${unknown} unknown`,
      share === 100 ? '' : `  share ${share} %`,
      ignored.length === 0 ? '' : `  ignored: ${ignored.join(', ')}`,
    ].join(''),
  };
}

function egressRow({ name, state, whyNot, owner, ...address }: ListedEgress): PrintedRow {
  const { seenAt, leaseUntil, conversations, resting } = address;
  const [seen, until] = [seenAt, leaseUntil].map((at) => (at === null ? null : new Date(at).toISOString()));
  return {
    row: {
      egress_address: name,
      state,
      why_not: whyNot,
      owner,
      seen_at: seen,
      lease_until: until,
      conversations,
      resting,
    },
    words: [
      `egress address ${name}  ${whyNot === null ? state : `${state} (${whyNot})`}`,
      owner === null
        ? ''
        : `  process ${owner}  last seen ${seen ?? ''}  ${conversations} conversations, ${resting} paused`,
    ].join(''),
  };
}

export const proberCommand = defineCommand({
  name: 'prober',
  takes: '[--url URL] [--token TOKEN]',
  summary: 'ask mail hosts from this machine for a service elsewhere',
  options: {
    url: { type: 'text', placeholder: 'URL', meaning: 'where the service is; needed the first time' },
    token: {
      type: 'text',
      placeholder: 'TOKEN',
      meaning: 'from mailproof probers add; needed the first time',
    },
    json: { type: 'flag', meaning: 'accepted; the log is JSON with and without it' },
  },
  notes: [
    'The first start enrols the prober and keeps its secret in the data directory, readable for its user alone. It needs outbound ports 443 and 25, and no database. On Ctrl-C or SIGTERM it takes no new work, finishes the work under way, and exits with code 0 within 30 seconds.',
  ],
  examples: ['mailproof prober --url https://verify.example.com --token TOKEN', 'mailproof prober'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const { terminal, signal } = surroundings;
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    try {
      const { url, token } = options;
      const prober = await startProber(config, { url, token, version: programVersion(), signal });
      const notifier = createSystemdNotifier(surroundings);
      await notifier.ready(`asking mail hosts as ${prober.name}`);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.all([notifier.stopping(), prober.stop()]);
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      terminal.tell(`mailproof: ${error.message}`);
      return exitCodes.environment;
    }
  },
});

export const probersCommand: CommandGroup = {
  kind: 'group',
  name: 'probers',
  summary: 'add, list and remove probers on other machines, or run one here',
  actions: { add, list, remove, run: underName('probers run', proberCommand) },
};
