import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkResultRecord, BulkTaskProgress } from '@mailproof/client';
import { startWorld, type World, type WorldDescription } from '@mailproof/world';
import { createAccount } from '../../src/accounts/create-account.ts';
import { readConfig, type Config } from '../../src/config.ts';
import { openStore } from '../../src/start/open-store.ts';
import { issueKey } from '../../src/keys/issue-key.ts';
import { startService, type Service, type StartParts } from '../../src/main.ts';
import { createApiClient, type Answered, type ApiClient } from './api-client.ts';
import { until } from './until.ts';

/** The whole service in this process, on a real store, in a world of its own. It can be stopped and started again. */
type ServiceBesideWorld = {
  world: World;
  start(parts?: Partial<StartParts>): Promise<Service>;
  /** A paid account with credits; the answer is its key. */
  openAccount(credits: number): Promise<string>;
  close(): Promise<void>;
};

export async function serviceBesideWorld(
  description: WorldDescription,
  settings: Record<string, string> = {},
): Promise<ServiceBesideWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-beside-'));
  const world = await startWorld(description);
  const env = { ...world.environment, MAILPROOF_DATA_DIR: dataDir, MAILPROOF_PORT: '0', ...settings };
  const read = readConfig({ MAILPROOF_LOG_LEVEL: 'warn', ...env });
  if (read.kind === 'bad') throw new Error(read.problem);
  const { config } = read;
  return {
    world,
    start: (parts = {}) => startService(config, { print: () => undefined, ...parts }),
    openAccount: (credits) => openAccount(config, credits),
    close: async () => {
      await world.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openAccount(config: Config, credits: number): Promise<string> {
  const store = await openStore({ ...config, check: false });
  try {
    const parts = { store, wallClock: Date, actor: 'command_line' as const };
    const { accountId } = await createAccount({ name: 'beside', plan: 'paid', credits }, parts);
    const issued = await issueKey({ accountId, mode: 'live' }, parts);
    if (issued.kind !== 'issued') throw new Error(issued.kind);
    return issued.apiKey;
  } finally {
    await store.close();
  }
}

export async function postTask({ url }: Service, key: string, emails: string[]): Promise<string> {
  return String((await answerOf(url, (client) => client.createTask(key, { emails })))['task_id']);
}

export async function verifySingle({ url }: Service, key: string, email: string): Promise<string> {
  return String((await answerOf(url, (client) => client.verify(key, email)))['status']);
}

export async function readProgress({ url }: Service, key: string, taskId: string): Promise<BulkTaskProgress> {
  const answer: unknown = await answerOf(url, (client) => client.readTask(key, taskId, '?explain=true'));
  return answer as BulkTaskProgress;
}

/** Asks until the task is completed. */
export async function readResults(
  service: Service,
  key: string,
  taskId: string,
): Promise<Record<string, BulkResultRecord>> {
  const { results } = await until(
    () => readProgress(service, key, taskId),
    ({ status }) => status === 'completed',
  );
  return results ?? {};
}

async function answerOf(
  url: string,
  ask: (client: ApiClient) => Promise<Answered>,
): Promise<Record<string, unknown>> {
  const client = createApiClient(url);
  const { status, text, body } = await ask(client);
  client.close();
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}
