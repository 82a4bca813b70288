/** The figures of each part as a reader wants them: a table, and whether the goal is met. */
import { median, short } from '../results/numbers.ts';
import { table } from '../results/table.ts';
import type { CostFigures, DomainFigures, VolumeFigures } from './parts.ts';
import type { Run } from './run-in-world.ts';

const perSecond = ({ addresses, ms }: Run): string => short((1_000 * addresses) / ms);
const cpuUs = ({ addresses, cpuMs }: Run): string => short((1_000 * cpuMs) / addresses);
const each = (count: number, { addresses }: Run): string => short(count / addresses);
const met = (isMet: boolean): string => (isMet ? 'met' : 'not met');

export function describeVolume({ rounds, rateRatio, cpuRatio }: VolumeFigures): string[] {
  const runs = rounds.flatMap(({ ours, plain }) => [
    { name: 'ours', run: ours },
    { name: 'one at a time, without memory', run: plain },
  ]);
  const first = rounds[0]?.ours;
  return [
    '## Volume',
    '',
    `${short(first?.addresses ?? 0)} addresses, ten to a domain, on 200 hosts with 100 ms of latency a reply (fewer at a smaller size); limits per destination lifted; at most 200 conversations open in either engine.`,
    '',
    ...table(
      [
        'engine',
        'addresses a second',
        'CPU µs an address',
        'conversations',
        'round trips each',
        'DNS queries',
        'most open',
      ],
      runs.map(({ name, run }) => [
        name,
        perSecond(run),
        cpuUs(run),
        short(run.conversations),
        each(run.world.roundTrips, run),
        short(run.world.dnsQueries),
        short(run.world.mostOpen),
      ]),
    ),
    '',
    `- rate: **${short(rateRatio)} ×** (goal: at least 4 ×: ${met(rateRatio >= 4)})`,
    `- CPU time an address: **${short(cpuRatio)} ×** less (goal: at least 3 × less: ${met(cpuRatio >= 3)})`,
    ...verdictLines(runs.map(({ run }) => run)),
  ];
}

export function describeOpenAtOnce(run: Run): string[] {
  const { rssBeforeMb, rssPeakMb, heapAtPeakMb, loopDelayP99Ms, loopDelayMaxMs, idle } = run;
  const { loopWorkP99Ms, loopWorkMaxMs } = run;
  const { mostOpen } = run.world;
  const all = mostOpen >= run.addresses ? 'all at once' : `**not all at once**: the machine was too busy`;
  return [
    '## Many conversations at once',
    '',
    `- ${short(mostOpen)} conversations open (${all}), every host slow (1.7 s a reply)`,
    `- resident memory at most **${short(rssPeakMb)} MB** (goal: 300 MB: ${met(rssPeakMb <= 300)}), ${short(rssBeforeMb)} MB of it before the first; the heap held ${short(heapAtPeakMb)} MB then`,
    `- event-loop delay p99 **${short(loopDelayP99Ms)} ms** (goal: 50 ms: ${met(loopDelayP99Ms <= 50)}), at most ${short(loopDelayMaxMs)} ms`,
    `- CPU time of the loop itself between two looks of a timer: p99 ${short(loopWorkP99Ms)} ms, at most ${short(loopWorkMaxMs)} ms; delay in a process beside it that had nothing to do: p99 ${short(idle.loopDelayP99Ms)} ms, at most ${short(idle.loopDelayMaxMs)} ms`,
    '- run as `./mailproof serve` is: with its bounds of the heap, and with compiled code kept from an earlier run',
    ...verdictLines([run]),
  ];
}

export function describeCost({ connection, alone, secured, inList }: CostFigures): string[] {
  const bare = connection.cpuMs / connection.addresses;
  const row = (name: string, run: Run): string[] => [
    name,
    cpuUs(run),
    short(run.cpuMs / run.addresses / bare),
    each(run.world.dnsQueries, run),
    each(run.conversations, run),
  ];
  return [
    '## CPU time of a verification',
    '',
    'Hosts that answer at once. Alone: every address at a domain and a mail host of its own, so that nothing is known and nothing is shared.',
    '',
    ...table(
      ['what', 'CPU µs', '× a connection', 'DNS queries', 'connections'],
      [
        row('a TCP connection, its banner, its end', connection),
        row('a verification alone', alone),
        row('the same with STARTTLS', secured),
        row('a verification of a list', inList),
      ],
    ),
    '',
    ...verdictLines([alone, secured, inList]),
  ];
}

export function describeDomains({ rounds }: DomainFigures): string[] {
  const runs = [rounds.map(({ fresh }) => fresh), rounds.map(({ warm }) => warm)] as const;
  const [first] = runs[0];
  const costUs = median(runs[0].map((run) => (1_000 * run.cpuMs) / run.addresses));
  const row = (name: string, ofKind: Run[]): string[] => [
    name,
    ofKind.map(cpuUs).join(', '),
    ofKind.map(perSecond).join(', '),
    ofKind.map((run) => each(run.world.dnsQueries, run)).join(', '),
    ofKind.map((run) => short(run.rssPeakMb)).join(', '),
  ];
  return [
    "## A stranger's domain",
    '',
    `${short(first?.addresses ?? 0)} addresses at as many domains, each with a mail host of its own name, no delay, 100 under way.`,
    '',
    ...table(
      ['process', 'CPU µs an address', 'addresses a second', 'DNS queries', 'resident at most, MB'],
      [row('just started (the start itself not counted)', runs[0]), row('after 500 others', runs[1])],
    ),
    '',
    `- CPU time an address, just started: **${short(costUs / 1_000)} ms** (goal: at most 0.7 ms: ${met(costUs <= 700)})`,
    ...verdictLines(runs.flat()),
  ];
}

export function describeGrowth(runs: Run[]): string[] {
  return [
    '## Cost as work grows',
    '',
    'Ten addresses to a domain, 100 hosts that answer at once, 500 addresses under way.',
    '',
    ...table(
      [
        'addresses',
        'ms each',
        'CPU µs each',
        'resident at most, MB',
        'held at the end, MB',
        'held, bytes each',
      ],
      runs.map((run) => [
        short(run.addresses),
        short(run.ms / run.addresses),
        cpuUs(run),
        short(run.rssPeakMb),
        short(run.heapGrowthMb),
        short(Math.max(0, (run.heapGrowthMb * 2 ** 20) / run.addresses)),
      ]),
    ),
    '',
    ...verdictLines(runs),
  ];
}

/** A fast wrong answer is worth nothing. */
function verdictLines(runs: Run[]): string[] {
  const wrong = runs.flatMap((run) => Object.entries(run.wrong));
  const violations = runs.reduce((total, run) => total + run.world.violations, 0);
  return [
    wrong.length === 0
      ? '- every verdict right'
      : `- **wrong verdicts**: ${wrong.map(([what, count]) => `${count} × ${what}`).join(', ')}`,
    ...(violations === 0 ? [] : [`- **breaches of protocol**: ${violations}`]),
  ];
}
