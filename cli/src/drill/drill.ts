import { findPostgresPrograms } from '@mailproof/world/database';
import { defineCommand, exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import { faults, type Fault } from './faults.ts';
import { goals } from './goals.ts';
import { asJson, describeEnd, describeResult } from './present-drill.ts';
import { runDrill, type DrillResult } from './run-drill.ts';

export const drillCommand = defineCommand({
  name: 'drill',
  takes: '[--only FAULT,…] [--quick] [--list] [--json]',
  summary: 'break an installation on purpose, and show the alerts and the recovery',
  options: {
    only: { type: 'text', placeholder: 'FAULT,…', meaning: 'only these faults (see --list)' },
    quick: { type: 'flag', meaning: 'faults that last seconds: about four minutes in all instead of seven' },
    list: { type: 'flag', meaning: 'list the faults, and break nothing' },
    json: { type: 'flag', meaning: 'one JSON object a line, one for each fault' },
  },
  notes: [
    'Starts an API, a worker, two probers, a PostgreSQL server and a simulated mail internet, all on loopback and apart from your installation; for the full disk of SQLite, a single process on SQLite. Then it brings about one fault after the other, while clients send 10 single verifications a second and a few tasks. For each fault it prints when /readyz, the metrics and the log told of it, how long singles were not served, answers that were wrong or falsely unknown, and whether the ledger agrees with what the clients were told.',
    `The exit code is 1 if a goal was missed: the fault is told, singles are served again within ${goals.servedAgainMs / 1_000} seconds, no answer is wrong or falsely unknown, and the books are exact. Served means that 90 % of the requests get 200 within two seconds.`,
    'It needs the programs of a PostgreSQL server (except for --only sqlite-disk-full), no network, and no setting. Full disks are tried only as root, because each takes a small file system of its own. Everything it starts and writes is gone at its end.',
  ],
  examples: ['mailproof drill', 'mailproof drill --quick --only prober-killed,database-stopped --json'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const chosen = chooseFaults(options.only, surroundings);
    if (chosen === undefined) return exitCodes.usage;
    if (options.list) return listFaults(chosen, options.json, surroundings);
    if (chosen.some(({ on }) => on === 'split') && findPostgresPrograms() === undefined) {
      surroundings.terminal.tell(
        'mailproof: The drill needs the programs of a PostgreSQL server, which are not installed. As root: apt-get install postgresql',
      );
      return exitCodes.environment;
    }
    return run(chosen, options, surroundings);
  },
});

function chooseFaults(only: string | undefined, { terminal }: Surroundings): readonly Fault[] | undefined {
  if (only === undefined) return faults;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !faults.some((fault) => fault.name === name));
  if (unknown === undefined) return faults.filter(({ name }) => names.includes(name));
  const known = faults.map(({ name }) => name).join(', ');
  terminal.tell(`mailproof: Unknown fault ${JSON.stringify(unknown)}. Faults: ${known}`);
  return undefined;
}

async function listFaults(
  chosen: readonly Fault[],
  json: boolean,
  { terminal }: Surroundings,
): Promise<ExitCode> {
  const lines = chosen.map(({ name, title, seconds }) =>
    json
      ? JSON.stringify({ fault: name, title, seconds: seconds.full, seconds_quick: seconds.quick })
      : `${name.padEnd(18)} ${title}`,
  );
  await terminal.write(`${lines.join('\n')}\n`);
  return exitCodes.ok;
}

async function run(
  chosen: readonly Fault[],
  { quick, json }: { quick: boolean; json: boolean },
  { terminal, env, signal }: Surroundings,
): Promise<ExitCode> {
  const mark = (ok: boolean, text: string) => terminal.paint(ok ? 'green' : 'red', text);
  const onResult = (result: DrillResult) =>
    terminal.write(json ? `${JSON.stringify(asJson(result))}\n` : describeResult(result, mark));
  try {
    const results = await runDrill({
      faults: chosen,
      quick,
      path: env['PATH'] ?? '',
      signal,
      onProgress: (what) => terminal.progress(what.slice(0, terminal.columns - 1)),
      onResult,
    });
    if (!json) await terminal.write(describeEnd(results));
    const isMissed = results.some((result) => result.kind === 'done' && result.missed.length > 0);
    return isMissed ? exitCodes.found : exitCodes.ok;
  } finally {
    terminal.progress('');
  }
}
