/**
 * `npm run bench:overload`: ten times what the service can do. See `overload/measure-overload.ts` for what is run.
 *
 * With `--attack`: what an attacker costs somebody else, see `overload/measure-attacks.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeAttacks, type AttackResults } from './overload/describe-attacks.ts';
import { measureAttacks } from './overload/measure-attacks.ts';
import { measureOverload, type Overload } from './overload/measure-overload.ts';
import { startServiceUnderLoad } from './overload/start-service-under-load.ts';
import { describeMachine, machineLines, type Machine } from './results/describe-machine.ts';
import { short } from './results/numbers.ts';
import { publish } from './results/publish.ts';
import { table } from './results/table.ts';

const { values: wish } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    attack: { type: 'boolean', default: false },
    /** Of attacks, one database alone: sqlite or postgres. What is kept of the other stays. */
    only: { type: 'string' },
    /** Of attacks, some kinds alone (`slow_singles,guesses`), for a look: nothing is written. */
    kind: { type: 'string' },
  },
});

const effort = wish.quick
  ? { warmUpMs: 5_000, capacityMs: 10_000, overloadMs: 14_000 }
  : { warmUpMs: 10_000, capacityMs: 24_000, overloadMs: 40_000 };
const met = (isMet: boolean): string => (isMet ? 'met' : 'not met');

const machine = describeMachine();
if (wish.attack) await runAttacks();
else await runOverload();

async function runAttacks(): Promise<void> {
  const perSecond = 40;
  const attackEffort = { rounds: wish.quick ? 1 : 6, perSecond };
  const results: AttackResults = wish.only === undefined ? {} : keptAttacks();
  for (const kind of ['sqlite', 'postgres'] as const)
    if ((wish.only ?? kind) === kind) results[kind] = await measureAttacks(kind, attackEffort, wish.kind);
  const lines = describeAttacks(results, machine, perSecond);
  publish(
    { name: 'attacks', lines, figures: { ...results, machine } },
    {
      write: wish.write && wish.kind === undefined,
    },
  );
}

/** What the last run that was written down had found; only this benchmark writes it. */
function keptAttacks(): AttackResults {
  const file = join(import.meta.dirname, '../results/attacks.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AttackResults) : {};
}

async function runOverload(): Promise<void> {
  const fixture = await startServiceUnderLoad();
  try {
    const overload = await measureOverload(fixture, effort);
    const figures = { machine, ...overload };
    publish({ name: 'overload', lines: describe(overload, machine), figures }, wish);
  } finally {
    await fixture.stop();
  }
}

function describe(overload: Overload, about: Machine): string[] {
  const { capacity, goodput, refusals, polling, forMs } = overload;
  return [
    '# Ten times too much',
    '',
    ...machineLines(about),
    '',
    `One API process. Mail hosts take 0.3 to 0.7 s for a reply, so that what binds are its 200 places for single verifications and not the processor. First 200 connections, each with one request after the other; then ten times that rate for ${forMs / 1_000} s from a generator that does not wait for answers.`,
    '',
    ...table(
      ['', 'a second', 'p50 ms', 'p99 ms', 'CPU µs of the server'],
      [
        ['capacity', short(capacity.perSecond), short(capacity.p50Ms), '–', short(capacity.cpuUs)],
        ['offered', short(overload.offeredPerSecond), '–', '–', '–'],
        ['verified', short(goodput.perSecond), short(goodput.p50Ms), short(goodput.p99Ms), '–'],
        [
          'refused (503)',
          short((1_000 * refusals.count) / forMs),
          short(refusals.p50Ms),
          short(refusals.p99Ms),
          short(overload.refusalCpuUs),
        ],
      ],
    ),
    '',
    `- goodput: **${(100 * goodput.share).toFixed(0)} %** of capacity (goal: at least 90 %: ${met(goodput.share >= 0.9)})`,
    `- refusals: p99 **${short(refusals.p99Ms)} ms** (goal: at most 50 ms: ${met(refusals.p99Ms <= 50)}), at most ${short(refusals.mostMs)} ms; ${short(refusals.slow)} of ${short(refusals.count)} took longer than 50 ms`,
    `- a refusal costs at most **${short(overload.refusalCpuUs)} µs** of the server (goal: under 1,000 µs: ${met(overload.refusalCpuUs < 1_000)}); ${overload.withoutRetryAfter === 0 ? 'every one says when to come again' : `**${overload.withoutRetryAfter} do not say when to come again**`}`,
    `- polling meanwhile: ${short(polling.asked)} asked, **${polling.refused} refused** (goal: none: ${met(polling.refused === 0)}), p99 ${short(polling.p99Ms)} ms`,
    `- the generator was at most ${short(overload.generatorLateP99Ms)} ms behind its schedule (p99); not sent for want of connections: ${overload.unsent}; broken: ${overload.broken}; answered otherwise: ${JSON.stringify(overload.otherwise)}`,
  ];
}
