import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient, type ApiClient } from '../../support/api-client.ts';
import { serveMailproof, type Serving, type Settings } from '../../support/mailproof.ts';

/**
 * One process of an installation, with a supervisor: it is restarted after a kill, and while the database is away.
 *
 *     down ──start──▶ up ──kill──▶ down
 *                     up ──pause──▶ standing still ──resume──▶ up
 */
export type ServiceProcess = {
  name: string;
  role: 'api' | 'worker' | 'prober' | 'all';
  /** Returns a client for an API that is up. */
  client(): ApiClient | undefined;
  /** Returns the URL of an API that is up. */
  url(): string | undefined;
  /** Returns the defects that it logged since its first start. */
  defects(): string[];
  /** Tells whether it logged that a commit of this request was not confirmed in time. */
  saidUnconfirmed(requestId: string): boolean;
  start(skewMs?: number): Promise<void>;
  kill(): Promise<void>;
  /** Asks it to end, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Stops it (SIGSTOP) without its notice. */
  pause(): void;
  resume(): void;
};

type ServiceProcessParts = {
  name: string;
  role: ServiceProcess['role'];
  env: Settings;
  /** Called when it ends by itself. */
  onCrash: (what: string) => void;
};

const skewing = fileURLToPath(import.meta.resolve('./skew-clock.ts'));
const startWithinMs = 90_000;

export function createServiceProcess({ name, role, env, onCrash }: ServiceProcessParts): ServiceProcess {
  const lives: Serving[] = [];
  let serving: Serving | undefined;
  let client: ApiClient | undefined;
  let dying = false;

  function watch(started: Serving): void {
    serving = started;
    lives.push(started);
    client = started.url === '' ? undefined : createApiClient(started.url);
    dying = false;
    void started.ended.then(({ code }) => {
      if (!dying && serving === started) onCrash(`${name} ended with ${String(code)}: ${lastOf(started)}`);
    });
  }

  function leave(): Serving | undefined {
    dying = true;
    client?.close();
    client = undefined;
    return serving;
  }

  return {
    name,
    role,
    client: () => client,
    url: () => (client === undefined ? undefined : serving?.url),
    defects: () => lives.flatMap((life) => defectsIn(life)),
    saidUnconfirmed: (requestId) =>
      lives.some(({ stdout, stderr }) =>
        `${stdout()}\n${stderr()}`
          .split('\n')
          .some((line) => line.includes(requestId) && line.includes('"fault":"unconfirmed"')),
      ),
    start: async (skewMs = 0) => {
      const skewed = { ...env, SKEW_CLOCK_MS: String(skewMs) };
      const preload = skewMs === 0 ? undefined : skewing;
      const until = performance.now() + startWithinMs;
      for (;;) {
        try {
          watch(await serveMailproof({ env: skewed, preload, role }));
          return;
        } catch (error) {
          if (performance.now() > until) throw error;
          await sleep(250);
        }
      }
    },
    kill: async () => leave()?.kill(),
    stop: async () => (await leave()?.stop()) ?? null,
    pause: () => void serving?.child.kill('SIGSTOP'),
    resume: () => void serving?.child.kill('SIGCONT'),
  };
}

function defectsIn({ stdout, stderr }: Serving): string[] {
  return `${stdout()}\n${stderr()}`.split('\n').filter((line) => line.includes('"msg":"defect"'));
}

function lastOf({ stdout, stderr }: Serving): string {
  return `${stdout()}${stderr()}`.slice(-1_500);
}
