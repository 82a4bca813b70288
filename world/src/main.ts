/** `npm run world`: the standard world by hand. Prints its settings and addresses, and serves until Ctrl-C. */
import { parseArgs } from 'node:util';
import type { CastMember } from './cast/place.ts';
import { standardCast, standardWorld } from './cast/worlds.ts';
import { startWorld, type World, type WorldOptions } from './start-world.ts';

const help = `Starts a mail internet on loopback: DNS and mail hosts of every temper.

  npm run world -- [--json] [--smtp-port N] [--dns-port N] [--latency-ms N]

  --json          print one JSON object (environment and cast) and serve
  --smtp-port N   port of all mail hosts (default: one that is free)
  --dns-port N    port of the name server (default: one that is free)
  --latency-ms N  network delay of every reply of a mail host and every DNS answer
  --help          this text
`;

type Wish =
  { kind: 'help' } | { kind: 'wrong'; why: string } | { kind: 'serve'; json: boolean; options: WorldOptions };

const usageError = 64;

/** Exit code of a program that wrote to a closed pipe. */
const readerGone = 141;

await run(readWish(process.argv.slice(2)));

async function run(wish: Wish): Promise<void> {
  // The reader of our output may stop early (`npm run world | head`).
  process.stdout.on('error', () => process.exit(readerGone));
  switch (wish.kind) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'wrong':
      process.stderr.write(`${wish.why}\n\n${help}`);
      process.exitCode = usageError;
      return;
    case 'serve':
      await serve(wish.json, wish.options);
  }
}

function readWish(args: string[]): Wish {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean' },
        json: { type: 'boolean' },
        'smtp-port': { type: 'string', default: '0' },
        'dns-port': { type: 'string', default: '0' },
        'latency-ms': { type: 'string', default: '0' },
      },
    });
    if (values.help === true) return { kind: 'help' };
    const latencyMs = wholeNumber('--latency-ms', values['latency-ms'], 60_000);
    const options = {
      smtpPort: wholeNumber('--smtp-port', values['smtp-port'], 65_535),
      dnsPort: wholeNumber('--dns-port', values['dns-port'], 65_535),
      latencyMs,
      dnsLatencyMs: latencyMs,
    };
    return { kind: 'serve', json: values.json === true, options };
  } catch (error) {
    return { kind: 'wrong', why: error instanceof Error ? error.message : String(error) };
  }
}

function wholeNumber(option: string, text: string, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= most) return number;
  throw new Error(`${option} is a whole number from 0 to ${most}, not '${text}'`);
}

async function serve(json: boolean, options: WorldOptions): Promise<void> {
  const world = await startWorld(standardWorld(), options);
  const { environment } = world;
  // Signals are handled before the first output: its reader may signal at once.
  const toldToEnd = new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  process.stdout.write(json ? `${JSON.stringify({ environment, cast: standardCast })}\n` : welcome(world));
  await toldToEnd;
  await world.stop();
  if (!json) process.stdout.write(farewell(world));
}

function welcome(world: World): string {
  const exports = Object.entries(world.environment).map(([name, value]) => `  export ${name}=${value}`);
  const width = Math.max(...standardCast.map((member) => member.address.length));
  return [
    'The world is up. In another terminal:',
    '',
    ...exports,
    '  ./mailproof verify alive@plain.test unknown@plain.test anyone@catchall.test',
    '',
    'Addresses to verify, each with the outcome that a verifier must reach:',
    '',
    ...standardCast.map((member) => `  ${row(member, width)}`),
    ...world.absentHosts.map((host) => `\n  ${host} is absent: this machine has no such address.`),
    '',
    'Ctrl-C stops the world and prints its counts.',
    '',
  ].join('\n');
}

function row(member: CastMember, width: number): string {
  const { address, expect, story } = member;
  const outcome = 'status' in expect ? expect.status : expect.error;
  return `${address.padEnd(width)}  ${outcome.padEnd(24)}  ${story}${remark(member)}`;
}

function remark({ slow, needs }: CastMember): string {
  const remarks = [
    ...(slow === true ? ['takes until the deadline'] : []),
    ...(needs === undefined ? [] : [`needs ${needs}`]),
  ];
  return remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
}

function farewell({ counts: { dns, smtp }, violations }: World): string {
  const commands = Object.entries(smtp.commands).map(([verb, count]) => `${verb} ${count}`);
  return [
    '',
    `DNS:  ${dns.queries} queries (${dns.udp} UDP, ${dns.tcp} TCP) in ${dns.waves} waves`,
    `SMTP: ${smtp.connections} connections, ${smtp.roundTrips} round trips; ${commands.join(', ') || 'no commands'}`,
    `Protocol violations by the client: ${violations.length}`,
    ...violations
      .slice(0, 20)
      .map(({ kind, host, detail }) => `  ${kind} at ${host}: ${JSON.stringify(detail)}`),
    '',
  ].join('\n');
}
