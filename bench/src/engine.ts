/**
 * `npm run bench:engine`: the engine at volume, in a mail internet on loopback. Every goal is a ratio inside one run or
 * a bound; the engine is one process, the world another.
 */
import { parseArgs } from 'node:util';
import {
  describeCost,
  describeDomains,
  describeGrowth,
  describeOpenAtOnce,
  describeVolume,
} from './engine/describe-parts.ts';
import { describeCommand, measureCommand } from './engine/measure-command.ts';
import { describeFairness, measureFairness } from './engine/measure-fairness.ts';
import {
  measureCost,
  measureDomains,
  measureGrowth,
  measureOpenAtOnce,
  measureVolume,
  type Size,
} from './engine/parts.ts';
import { describeMachine, machineLines } from './results/describe-machine.ts';
import { publish } from './results/publish.ts';

const partNames = ['volume', 'open', 'fairness', 'cost', 'domains', 'command', 'growth'] as const;

const { values: wish } = parseArgs({
  options: {
    /** One part alone: volume, open, fairness, cost, domains, command or growth. */
    only: { type: 'string' },
    /** A tenth of everything, once. */
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** A folder with another checkout, its packages installed: what the command line cost there. */
    against: { type: 'string' },
  },
});

const size: Size = wish.quick ? { share: 0.1, rounds: 1 } : { share: 1, rounds: 2 };
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);

const machine = describeMachine();
const figures: Record<string, unknown> = { machine, size };
const lines = [
  '# The engine at volume',
  '',
  ...machineLines(machine),
  ...(wish.quick ? ['- **at a tenth of the size**'] : []),
];
for (const name of partNames.filter((part) => wish.only === undefined || wish.only === part)) {
  const part = await run(name);
  figures[name] = part.figures;
  lines.push('', ...part.lines);
}
publish({ name: 'engine', lines, figures }, wish);

async function run(name: (typeof partNames)[number]): Promise<{ figures: unknown; lines: string[] }> {
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
      const command = await measureCommand({ ...size, against: wish.against }, tell);
      return { figures: command, lines: describeCommand(command) };
    }
    case 'growth': {
      const growth = await measureGrowth(size, tell);
      return { figures: growth, lines: describeGrowth(growth) };
    }
  }
}
