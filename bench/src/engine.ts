/**
 * `npm run bench -- engine`: the engine at volume, in a mail internet on loopback. Every goal is a ratio inside one run or
 * a bound; the engine is one process, the world another.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeFairness, measureFairness } from './engine/fairness.ts';
import {
  describeCost,
  describeDomains,
  describeGrowth,
  describeOpenAtOnce,
  describeVolume,
  measureCost,
  measureDomains,
  measureGrowth,
  measureOpenAtOnce,
  measureVolume,
  type Size,
} from './engine/parts.ts';
import { addressOf, type Population } from './engine/population.ts';
import { startChild } from './processes/child.ts';
import { worldModule } from './processes/world-process.ts';
import { describeMachine, machineLines, publish, readWish, tell, median, short, table } from './results.ts';

const partNames = ['volume', 'open', 'fairness', 'cost', 'domains', 'command', 'growth'] as const;

const options = {
  /** One part alone: volume, open, fairness, cost, domains, command or growth. */
  only: { type: 'string' },
  /** A folder with another checkout, its packages installed: the cost of its command line. */
  against: { type: 'string' },
} as const;

export async function runEngine(args: string[]): Promise<void> {
  const wish = readWish(args, options);
  const size: Size = wish.quick ? { share: 0.1, rounds: 1 } : { share: 1, rounds: 2 };
  const machine = describeMachine();
  const figures: Record<string, unknown> = { machine, size };
  const lines = [
    '# The engine at volume',
    '',
    ...machineLines(machine),
    ...(wish.quick ? ['- **at a tenth of the size**'] : []),
  ];
  for (const name of partNames.filter((part) => wish.only === undefined || wish.only === part)) {
    const part = await measurePart(name, { size, against: wish.against });
    figures[name] = part.figures;
    lines.push('', ...part.lines);
  }
  publish({ name: 'engine', lines, figures }, wish);
}

type PartOrder = { size: Size; against: string | undefined };

async function measurePart(
  name: (typeof partNames)[number],
  { size, against }: PartOrder,
): Promise<{ figures: unknown; lines: string[] }> {
  switch (name) {
    case 'volume': {
      const volume = await measureVolume(size, tell);
      return { figures: volume, lines: describeVolume(volume) };
    }
    case 'open': {
      const open = await measureOpenAtOnce(size, tell);
      return { figures: open, lines: describeOpenAtOnce(open) };
    }
    case 'fairness': {
      const fairness = await measureFairness(size, tell);
      return { figures: fairness, lines: describeFairness(fairness) };
    }
    case 'cost': {
      const cost = await measureCost(size, tell);
      return { figures: cost, lines: describeCost(cost) };
    }
    case 'domains': {
      const domains = await measureDomains(size, tell);
      return { figures: domains, lines: describeDomains(domains) };
    }
    case 'command': {
      const command = await measureCommand({ ...size, against }, tell);
      return { figures: command, lines: describeCommand(command) };
    }
    case 'growth': {
      const growth = await measureGrowth(size, tell);
      return { figures: growth, lines: describeGrowth(growth) };
    }
  }
}

type CommandRun = {
  /** CPU time, user and system, of the command for an address alone, and for all of the list. */
  startCpuMs: number;
  cpuMs: number;
  ms: number;
};

type CommandFigures = {
  addresses: number;
  /** Verdicts that were not right, in all runs. */
  wrong: number;
  now: CommandRun[];
  before: CommandRun[] | undefined;
};

const here = resolve(import.meta.dirname, '../..');

type Options = Size & { against: string | undefined };

/**
 * The cost of a list at unknown domains with `mailproof verify --file`: the whole process with default settings, less
 * the cost of its start. With another checkout, the cost there too, in turn.
 */
async function measureCommand(
  { share, rounds, against }: Options,
  tell: (message: string) => void,
): Promise<CommandFigures> {
  const addresses = 2_000 * share;
  // Each with a mail host of its own, so that no limit of a destination is felt.
  const population = { addresses, domains: addresses, hosts: addresses, latencyMs: 0, ownNames: true };
  const internet = startChild(worldModule);
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  try {
    const { environment } = await internet.ask({ kind: 'populate', population });
    const list = createList(folder, population, environment);
    const sides = [here, ...(against === undefined ? [] : [resolve(against)])].map((checkout) => ({
      checkout,
      runs: new Array<CommandRun>(),
    }));
    let wrong = 0;
    // The first start compiles what later ones find compiled.
    for (const { checkout } of sides) await list.check(checkout, 1);
    for (let round = 0; round < 2 * rounds; round += 1) {
      tell(`command line, round ${round + 1} of ${2 * rounds}`);
      for (const { checkout, runs } of sides) {
        const start = await list.check(checkout, 1);
        const all = await list.check(checkout, addresses);
        runs.push({ startCpuMs: start.cpuMs, cpuMs: all.cpuMs, ms: all.ms });
        wrong += start.wrong + all.wrong;
      }
    }
    const [now, before] = sides.map(({ runs }) => runs);
    return { addresses, wrong, now: now ?? [], before };
  } finally {
    await internet.stop();
    rmSync(folder, { recursive: true });
  }
}

function createList(folder: string, population: Population, environment: Record<string, string>) {
  const answers = join(folder, 'answers');
  return {
    /** Checks the first `count` addresses with the command of a checkout. */
    async check(checkout: string, count: number): Promise<{ cpuMs: number; ms: number; wrong: number }> {
      const wanted = Array.from({ length: count }, (_, index) => addressOf(index, population));
      const file = join(folder, 'addresses');
      writeFileSync(file, wanted.map(({ email }) => `${email}\n`).join(''));
      const begunAt = performance.now();
      // The shell tells what its children cost.
      const command = './mailproof verify --file "$1" --json --concurrency 100 > "$2" && times';
      const shell = spawn('sh', ['-c', command, 'sh', file, answers], {
        cwd: checkout,
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [told] = await Promise.all([text(shell.stdout), once(shell, 'close')]);
      if (shell.exitCode !== 0) throw new Error(`${checkout}: mailproof verify ended with ${shell.exitCode}`);
      const ms = performance.now() - begunAt;
      const results = readFileSync(answers, 'utf8').trimEnd().split('\n');
      const wrong = wanted.filter(({ status }, at) => !results[at]?.includes(`"status":"${status}"`)).length;
      return { cpuMs: childrenCpuMs(told), ms, wrong };
    },
  };
}

/** `times` prints a line of the shell's own user and system time, and one of its children's: `0m1.25s 0m0.31s`. */
function childrenCpuMs(times: string): number {
  const line = times.trim().split('\n').at(-1) ?? '';
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new Error(`no times: ${times}`);
  return parts.reduce(
    (ms, [, minutes, seconds]) => ms + 60_000 * Number(minutes) + 1_000 * Number(seconds),
    0,
  );
}

function describeCommand({ addresses, wrong, now, before }: CommandFigures): string[] {
  const costsUs = (runs: CommandRun[]): number[] =>
    runs.map(({ startCpuMs, cpuMs }) => (1_000 * (cpuMs - startCpuMs)) / addresses);
  const row = (name: string, runs: CommandRun[]): string[] => [
    name,
    costsUs(runs).map(short).join(', '),
    short(median(runs.map(({ startCpuMs }) => startCpuMs))),
    short(median(runs.map(({ ms }) => ms / 1_000))),
  ];
  const costUs = median(costsUs(now));
  return [
    "## A stranger's domain, by the command line",
    '',
    `\`mailproof verify --file\` with ${short(addresses)} addresses at as many domains, each with a mail host of its own, no delay, 100 conversations.`,
    '',
    ...table(
      ['process', 'CPU µs an address, less the start', 'CPU ms of the start', 'seconds in all'],
      [row('now', now), ...(before === undefined ? [] : [row('before', before)])],
    ),
    '',
    `- CPU time an address, less the start: **${short(costUs / 1_000)} ms** (goal: at most 0.7 ms: ${costUs <= 700 ? 'met' : 'not met'})`,
    ...(before === undefined
      ? []
      : [`- of what it was before: **${short((100 * costUs) / median(costsUs(before)))} %**`]),
    wrong === 0 ? '- every verdict right' : `- **${wrong} verdicts wrong**`,
  ];
}
