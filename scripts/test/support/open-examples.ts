/** The examples of the documentation, and a service in a world to run them against. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from '@mailproof/client';
import { createAccountWithKeys, openStore } from '@mailproof/service';
import { readConfig } from '@mailproof/service/config';
import { startService } from '@mailproof/service/main';
import { freePort, startWorld, tempers, type WorldDescription } from '@mailproof/world';
import {
  startProgram,
  type Ended,
  type Settings,
  type Started,
} from '../../../service/test/support/mailproof.ts';
import { until } from '../../../service/test/support/until.ts';

const root = join(import.meta.dirname, '../../..');

export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The examples of a page by file name: ```` ```python verify.py ````. */
export function examplesOf(page: string): Map<string, string> {
  const blocks = readPage(page).matchAll(
    /^(?<indent> *)```[a-z]+ (?<name>[a-z-]+\.[a-z]+)\n(?<code>.*?)^ *```$/gms,
  );
  return new Map(
    [...blocks].map(({ groups }) => {
      const { indent = '', name = '', code = '' } = groups ?? {};
      return [name, code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')];
    }),
  );
}

/**
 * The pages whose examples are run here. The examples of docs/operations.md set up machines, and have tests of their
 * own.
 */
export const pagesWithExamples = [
  'docs/api.md',
  'docs/checking-lists.md',
  'docs/command-line.md',
  'docs/form-guard.md',
  'docs/keys.md',
  'docs/people.md',
  'docs/webhooks.md',
  'client/README.md',
];

export type ExampleFixture = {
  url: string;
  apiKey: string;
  client: Client;
  /** The folder in which the examples run. */
  folder: string;
  /** Writes an example into a folder of its own and starts it by `command`. */
  start(command: readonly string[], name: string, settings?: Settings): Started;
  /** An example that can run only once with the same settings gets new ones for each try. */
  run(
    command: readonly string[],
    name: string,
    settings?: Settings | (() => Promise<Settings>),
  ): Promise<Ended>;
  /** Starts a receiver of webhooks, has the service send to it, and answers with the first line that it prints. */
  receive(command: readonly string[], name: string): Promise<string>;
  close(): Promise<void>;
};

/** ada@example.com is the only mailbox at example.com; later.test defers. */
const mailInternet: WorldDescription = {
  zones: {
    'example.com': { mx: [[10, 'mx.example.com']] },
    'plain.test': { mx: [[10, 'mx.plain.test']] },
    'later.test': { mx: [[10, 'mx.later.test']] },
  },
  hosts: {
    'mx.example.com': { mailboxes: { ada: 'exists' } },
    'mx.plain.test': {},
    'mx.later.test': { temper: tempers.greylistEverybody },
  },
};

/** A provider without visitors: people are invited before they sign in. */
const signInSettings = {
  MAILPROOF_PUBLIC_URL: 'https://mail.example.com',
  MAILPROOF_OIDC_ISSUER: 'https://login.example.com',
  MAILPROOF_OIDC_CLIENT_ID: 'mailproof',
  MAILPROOF_OIDC_CLIENT_SECRET: 'not-a-secret-of-anybody-at-all',
};

const triesOnABusyMachine = 60;

export async function openExamples(): Promise<ExampleFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-examples-'));
  const world = await startWorld(mailInternet);
  const dataDir = join(folder, 'data');
  const apiKey = await createKey(dataDir);
  const settings = { ...world.environment, MAILPROOF_DATA_DIR: dataDir };
  const service = await startService(configOf({ ...signInSettings, ...settings }), {
    print: () => undefined,
  });
  const { url } = service;
  const client = createClient({ baseUrl: url, apiKey });
  // The folder of a project's packages.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'mailproof'), join(folder, 'mailproof'));
  const examples = new Map(pagesWithExamples.flatMap((page) => [...examplesOf(page)]));

  const start: ExampleFixture['start'] = ([program = '', ...args], name, given = {}) => {
    const code = examples.get(name);
    if (code === undefined) throw new Error(`No page has an example ${name}`);
    writeFileSync(join(folder, name), code);
    const env = { ...settings, MAILPROOF_URL: url, MAILPROOF_API_KEY: apiKey, ...given };
    return startProgram(program, [...args, name], { cwd: folder, env });
  };

  return {
    url,
    apiKey,
    client,
    folder,
    start,
    async run(command, name, given) {
      for (let tries = 1; ; tries += 1) {
        const settings = typeof given === 'function' ? await given() : given;
        const ended = await start(command, name, settings).ended;
        // The service is busy, which is the machine's fault: the examples that do not repeat themselves are run again.
        const isBusy = /service_unavailable|\b503\b/.test(ended.stdout + ended.stderr);
        if (!isBusy || tries === triesOnABusyMachine) return ended;
        await sleep(1_000);
      }
    },
    async receive(command, name) {
      const port = await freePort();
      const endpoint = { url: `http://127.0.0.1:${port}/`, events: ['task.completed' as const] };
      const { webhook_id: id, secret } = await client.webhooks.create(endpoint);
      const words = command.map((word) => word.replace('$PORT', `${port}`));
      const receiver = start(words, name, { PORT: `${port}`, WEBHOOK_SECRET: secret });
      try {
        await until(() => answersAt(endpoint.url));
        await client.webhooks.test(id);
        return (await receiver.wrote(/webhook\.test .*\n/))[0];
      } finally {
        await receiver.kill();
        await client.webhooks.delete(id);
      }
    },
    async close() {
      await service.stop();
      await world.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function createKey(dataDir: string): Promise<string> {
  const store = await openStore({ dataDir, check: false });
  try {
    const order = { name: 'Examples', plan: 'paid' as const, credits: 1_000 };
    const { liveKey } = await createAccountWithKeys(order, {
      store,
      wallClock: Date,
      actor: 'command_line',
    });
    return liveKey.apiKey;
  } finally {
    await store.close();
  }
}

function configOf(environment: Record<string, string>) {
  const settings = { MAILPROOF_PORT: '0', MAILPROOF_LOG_LEVEL: 'warn', MAILPROOF_PACING: 'off' };
  const read = readConfig({ ...settings, ...environment });
  if (read.kind === 'bad') throw new Error(read.problem);
  return read.config;
}

/** A message without a signature is refused, which shows that the receiver runs and checks. */
async function answersAt(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { method: 'POST', body: '{}' })).status === 400;
  } catch {
    return false;
  }
}
