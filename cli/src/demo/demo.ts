import { createServer } from 'node:net';
import { StartError } from '@mailproof/service/main';
import { defineCommand, exitCodes, type Surroundings } from '../command.ts';
import { addressOf, companies, slowCompany, type Company, type Person } from './companies.ts';
import { startDemo, type Demo } from './start-demo.ts';
import { programName } from '../program.ts';

const usualPort = 8080;
const portsTried = 20;

export const demoCommand = defineCommand({
  name: 'demo',
  takes: '[--port N] [--json]',
  summary: 'try it out: the service, its console and a simulated mail internet',
  options: {
    port: {
      type: 'text',
      placeholder: 'N',
      meaning: `port of the console and the API (default: ${usualPort} or the next free port; 0: any free port)`,
    },
    json: { type: 'flag', meaning: 'print one JSON object (URL, keys, sample list), then serve' },
  },
  notes: ['Nothing leaves this machine, no setting is read, and all it writes is removed at its end.'],
  examples: ['mailproof demo', 'mailproof demo --port 9000'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const { terminal } = surroundings;
    const wished = options.port ?? String(usualPort);
    if (!/^\d{1,5}$/.test(wished) || Number(wished) > 65_535) {
      terminal.tell(
        `mailproof: --port must be a whole number from 0 to 65535, not ${JSON.stringify(wished)}`,
      );
      return exitCodes.usage;
    }
    const port = await choosePort(Number(wished), { isGiven: options.port !== undefined, ...surroundings });
    if (port === undefined) return exitCodes.environment;
    try {
      await serve(port, options.json, surroundings);
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      terminal.tell(`mailproof: ${error.message}`);
      return exitCodes.environment;
    }
  },
});

type PortWish = Pick<Surroundings, 'terminal' | 'env'> & { isGiven: boolean };

/**
 * The wished port, if it is free. If not, the one that `--port` names is refused, and the usual one makes room for the
 * next free port, or for any (0). Every other port than the reader expects is told.
 */
async function choosePort(wished: number, { isGiven, terminal, env }: PortWish): Promise<number | undefined> {
  const set = ['MAILPROOF_PORT', 'PORT'].find((name) => (env[name] ?? '') !== '');
  if (set !== undefined && !isGiven)
    terminal.tell(
      `mailproof: The demonstration reads no settings, so ${set} is not used: choose its port with --port`,
    );
  if (wished === 0 || (await isFree(wished))) return wished;
  if (isGiven) {
    terminal.tell(
      `mailproof: Port ${wished} is taken: choose another with --port, or any free one with --port 0`,
    );
    return undefined;
  }
  const next = await nextFreePort(wished + 1);
  terminal.tell(
    `mailproof: Port ${wished} is taken, so the demo uses ${next === 0 ? 'any free one' : next} (choose one with --port)`,
  );
  return next;
}

async function nextFreePort(first: number): Promise<number> {
  for (let port = first; port < Math.min(first + portsTried, 65_536); port += 1) {
    if (await isFree(port)) return port;
  }
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function serve(port: number, json: boolean, { terminal, signal }: Surroundings): Promise<void> {
  const demo = await startDemo({ port });
  // A second signal ends the process at once, and then there is no time to stop.
  process.once('exit', () => demo.abandon());
  try {
    await terminal.write(json ? `${JSON.stringify(asJson(demo))}\n` : welcome(demo));
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    await demo.stop();
  }
  if (!json) await terminal.write('\nStopped. Everything it wrote was removed.\n');
}

function asJson({
  url,
  liveKey,
  testKey,
  formKey,
  adminToken,
  sampleListFile,
}: Demo): Record<string, string> {
  return {
    url,
    live_key: liveKey,
    test_key: testKey,
    form_key: formKey,
    admin_token: adminToken,
    sample_list: sampleListFile,
  };
}

function welcome(demo: Demo): string {
  const { url, liveKey, testKey, formKey, adminToken, credits, sampleListFile } = demo;
  return `
Mailproof is running with a simulated mail internet. Nothing leaves this machine.

  console       ${url}
  live key      ${liveKey}   (sign in with it; ${credits.toLocaleString('en')} credits)
  test key      ${testKey}   (answered by the sandbox, free)
  admin token   ${adminToken}   (sign in with it as operator)
  sample list   ${sampleListFile}   (drop it under Lists)
  form guard    ${url}/docs/form?key=${formKey}   (a sign-up form that catches typos)

Addresses to try, and the result of each:

${addressesToTry().join('\n')}

To check the sample list from another terminal:

  MAILPROOF_URL=${url} MAILPROOF_API_KEY=${liveKey} \\
    ${programName()} check ${sampleListFile} --output checked.csv

Press Ctrl-C to stop it and remove everything it wrote.
`;
}

/** The first of each kind, told from the table, and the one that takes its time. */
function addressesToTry(): string[] {
  const seen = new Set<string>();
  const everybody = [...companies, slowCompany].flatMap((company) =>
    company.people.map((person) => ({ person, company })),
  );
  const firsts = everybody.filter(({ person }) => {
    const kind = `${person.status} ${person.alone ?? ''} ${person.story}`;
    return !seen.has(kind) && seen.add(kind);
  });
  return firsts.map(({ person, company }) => lineFor(person, company));
}

function lineFor(person: Person, company: Company): string {
  const outcome = person.alone ?? person.status;
  return `  ${addressOf(person, company).padEnd(36)} ${outcome.padEnd(24)} ${person.story}`;
}
