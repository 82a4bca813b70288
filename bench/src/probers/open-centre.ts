/** A service with an account, and probers elsewhere that ask for it, each in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccountWithKeys, openStore } from '../../../service/src/index.ts';
import {
  runCommand,
  startMailproof as startProgram,
  type Settings,
} from '../../../service/test/support/mailproof.ts';
import { until } from '../../../service/test/support/until.ts';
import { startMailproof } from '../processes/start-mailproof.ts';

export type Centre = {
  verify(email: string): Promise<{ status: unknown; ms: number }>;
  createTask(emails: readonly string[]): Promise<void>;
  /** Starts one, once mail hosts can be asked through it. */
  startProber(settings: Settings): Promise<{ pid: number }>;
  close(): Promise<void>;
};

type CentreOrder = {
  /** None: SQLite. */
  databaseUrl?: string;
  settings: Settings;
  roles: readonly ('api' | 'worker' | 'all')[];
};

const credits = 1_000_000;

export async function openCentre({ databaseUrl, settings, roles }: CentreOrder): Promise<Centre> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const dataDir = join(folder, 'data');
  const env: Settings = {
    ...settings,
    MAILPROOF_PACING: 'off',
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: databaseUrl }),
  };
  const apiKey = await openAccount(databaseUrl, dataDir);
  const services: Awaited<ReturnType<typeof startMailproof>>[] = [];
  for (const role of roles)
    services.push(await startMailproof({ role, env, logFile: join(folder, `${role}.log`) }));
  const url = `http://127.0.0.1:${services[0]?.port ?? 0}`;
  const probers: { stop: () => Promise<unknown> }[] = [];

  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.status >= 300) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  return {
    verify: async (email) => {
      const startedAt = performance.now();
      const { status } = await post('/api/v1/email-verification', { email });
      return { status, ms: performance.now() - startedAt };
    },
    createTask: async (emails) => {
      await post('/api/v1/bulk-email-verification', { emails });
    },
    startProber: async (own) => {
      const name = `prober-${probers.length + 1}`;
      const { token } = await runCommand(['probers', 'add', name], env);
      const { child, stop } = startProgram(['prober', '--url', url, '--token', String(token)], {
        through: 'script',
        env: { ...own, MAILPROOF_PACING: 'off', MAILPROOF_DATA_DIR: join(folder, name) },
        logFile: join(folder, `${name}.log`),
      });
      probers.push({ stop });
      await until(
        () => runCommand(['probers', 'list'], env),
        (answer) => JSON.stringify(answer).includes('"state":"well"'),
      );
      return { pid: child.pid ?? 0 };
    },
    close: async () => {
      for (const prober of probers) await prober.stop();
      for (const service of services.reverse()) await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openAccount(databaseUrl: string | undefined, dataDir: string): Promise<string> {
  const store = await openStore({ databaseUrl, dataDir, check: true });
  try {
    const parts = { store, wallClock: Date, actor: 'command_line' as const };
    const { liveKey } = await createAccountWithKeys({ name: 'bench', plan: 'paid', credits }, parts);
    return liveKey.apiKey;
  } finally {
    await store.close();
  }
}
