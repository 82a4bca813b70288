/**
 * `npm run bench -- NAME`: runs a benchmark and prints its result. With `--write` the result is kept in `bench/results`,
 * to be committed. It names the commit, the machine and its load; on a busy machine nothing is written.
 */
import { BusyMachineError, usualOptions } from './results.ts';

type Bench = {
  about: string;
  /** Of a full run on two cores, about. */
  minutes: number;
  /** Returns the program, which may answer with an exit code. */
  load: () => Promise<(args: string[]) => Promise<unknown>>;
};

const benches: Record<string, Bench> = {
  api: {
    about: 'requests of the API, against a bare route of the same framework',
    minutes: 15,
    load: async () => (await import('./api.ts')).runApi,
  },
  engine: {
    about: 'the engine at volume: rates, memory, fairness, the command line',
    minutes: 15,
    load: async () => (await import('./engine.ts')).runEngine,
  },
  faults: {
    about: 'the faults of `mailproof drill`: until each is told, and until service is back',
    minutes: 15,
    load: async () => (await import('./faults.ts')).runFaults,
  },
  growth: {
    about: 'a store with a million tasks: start, audit, claims, pages, erasing',
    minutes: 30,
    load: async () => (await import('./growth.ts')).runGrowth,
  },
  lists: {
    about: 'lists of a million rows: upload, run, download',
    minutes: 60,
    load: async () => (await import('./lists.ts')).runLists,
  },
  manners: {
    about: 'a simulated day as mail hosts see it',
    minutes: 2,
    load: async () => (await import('./manners.ts')).runManners,
  },
  overload: {
    about: 'ten times the capacity; with --attack, attackers beside an honest client',
    minutes: 3,
    load: async () => (await import('./overload.ts')).runOverload,
  },
  probers: {
    about: 'a single verification through a prober elsewhere, and its memory',
    minutes: 3,
    load: async () => (await import('./probers.ts')).runProbers,
  },
  scale: {
    about: 'bulk verification by one, two and four workers on one PostgreSQL',
    minutes: 20,
    load: async () => (await import('./scale.ts')).runScale,
  },
};

function usage(): string {
  const rows = Object.entries(benches).map(
    ([name, { about, minutes }]) => `  ${name.padEnd(10)}${`${minutes} min`.padStart(6)}   ${about}`,
  );
  return [
    'npm run bench -- NAME [options]',
    '',
    'Names, with about how long a full run takes on two cores:',
    ...rows,
    '',
    `Options of all: ${Object.keys(usualOptions)
      .map((name) => `--${name}`)
      .join(', ')}. Each has more; its file in bench/src says which.`,
    '',
  ].join('\n');
}

async function main([name = '--help', ...args]: string[]): Promise<number> {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (bench === undefined) {
    const wantsHelp = name === '--help' || name === '-h';
    (wantsHelp ? process.stdout : process.stderr).write(
      wantsHelp ? usage() : `mailproof: there is no benchmark ${name}\n\n${usage()}`,
    );
    return wantsHelp ? 0 : 2;
  }
  const run = await bench.load();
  const code = await run(args);
  return typeof code === 'number' ? code : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BusyMachineError)) throw error;
  process.stderr.write(`mailproof: ${error.message}\n`);
  process.exitCode = 1;
}
