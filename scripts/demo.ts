/** `npm run demo`: the service, its console and a simulated mail internet. Prints what to try, and cleans up. */
import { parseArgs } from 'node:util';
import { StartError } from '@mailproof/service/main';
import { companies, slowCompany, type Company, type Person } from './demo/companies.ts';
import { freePort } from './demo/free-port.ts';
import { addressOf } from './demo/sample-list.ts';
import { startDemo, type Demo } from './demo/start-demo.ts';

const help = `Starts Mailproof with its console and a simulated mail internet. Nothing leaves this machine.

  npm run demo -- [--json] [--port N]

  --json    print one JSON object (URL, keys, sample list), then serve
  --port N  port of the console and the API (default: 8080 or the next free port; 0: any free port)
  --help    print this text
`;

type Wish =
  { kind: 'help' } | { kind: 'wrong'; why: string } | { kind: 'serve'; json: boolean; port: number };

const usualPort = 8080;
const usageError = 64;
const cannotStart = 3;

/** As a shell tells of a program that was interrupted, or that wrote to a closed pipe. */
const interrupted = 130;
const readerGone = 141;

await run(readWish(process.argv.slice(2)));

async function run(wish: Wish): Promise<void> {
  switch (wish.kind) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'wrong':
      process.stderr.write(`${wish.why}\n\n${help}`);
      process.exitCode = usageError;
      return;
    case 'serve':
      await serve(wish).catch((error: unknown) => {
        if (!(error instanceof StartError)) throw error;
        process.stderr.write(`mailproof: ${error.message}\n`);
        process.exit(cannotStart);
      });
  }
}

function readWish(args: string[]): Wish {
  try {
    const options = {
      help: { type: 'boolean' },
      json: { type: 'boolean', default: false },
      port: { type: 'string', default: `${usualPort}` },
    } as const;
    const { help: asked, json, port } = parseArgs({ args, options }).values;
    if (asked === true) return { kind: 'help' };
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      return { kind: 'wrong', why: `--port must be a whole number from 0 to 65535, not '${port}'` };
    }
    return { kind: 'serve', json, port: Number(port) };
  } catch (error) {
    return { kind: 'wrong', why: error instanceof Error ? error.message : String(error) };
  }
}

async function serve({ json, port }: { json: boolean; port: number }): Promise<void> {
  // Listened for from the beginning: an impatient reader may signal while we start.
  const toldToEnd = new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const demo = await startDemo({ port: await freePort(port) });
  // Whoever read what we say may have read enough (`npm run demo | head`).
  process.stdout.on('error', () => {
    demo.abandon();
    process.exit(readerGone);
  });
  process.stdout.write(json ? `${JSON.stringify(asJson(demo))}\n` : welcome(demo));
  await toldToEnd;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      demo.abandon();
      process.exit(interrupted);
    });
  }
  await demo.stop();
  if (!json) process.stdout.write('\nStopped. Everything it wrote was removed.\n');
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
  form guard    ${url}/docs/form?key=${formKey}   (a sign-up form that spots slips)

Addresses to try, and the result of each:

${addressesToTry().join('\n')}

To check the sample list from another terminal:

  MAILPROOF_URL=${url} MAILPROOF_API_KEY=${liveKey} \\
    ./mailproof check ${sampleListFile} --output checked.csv

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
