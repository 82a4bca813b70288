import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import type { Home } from '../endurance/launch.ts';
import { serve, type Serving } from '../endurance/serve.ts';

/**
 * One process of an installation, kept up as a supervisor would: it is started again after it was killed, and again while
 * the database is not there.
 *
 *     down ──start──▶ up ──kill──▶ down
 *                     up ──pause──▶ standing still ──resume──▶ up
 */
export type Member = {
  name: string;
  role: 'api' | 'worker';
  /** To talk to an API that is up. */
  caller(): ApiClient | undefined;
  /** What it said of its own defects since it was first started. */
  defects(): string[];
  start(skewMs?: number): Promise<void>;
  kill(): Promise<void>;
  /** Asks it to end, and answers with its exit code. */
  stop(): Promise<number | null>;
  /** Stops it where it stands (SIGSTOP); it notices nothing. */
  pause(): void;
  resume(): void;
};

type MemberParts = {
  name: string;
  role: Member['role'];
  home: Home;
  /** It ended without being told to. */
  onCrash: (what: string) => void;
};

const skewing = fileURLToPath(import.meta.resolve('./skew-clock.ts'));
const startWithinMs = 90_000;

export function createMember({ name, role, home, onCrash }: MemberParts): Member {
  const lives: Serving[] = [];
  let serving: Serving | undefined;
  let caller: ApiClient | undefined;
  let dying = false;

  function watch(started: Serving): void {
    serving = started;
    lives.push(started);
    caller = role === 'api' ? createApiClient(started.url) : undefined;
    dying = false;
    void started.ended.then((code) => {
      if (!dying && serving === started)
        onCrash(`${name} ended with ${String(code)}: ${lastOf(started.written())}`);
    });
  }

  function leave(): Serving | undefined {
    dying = true;
    caller?.close();
    caller = undefined;
    return serving;
  }

  return {
    name,
    role,
    caller: () => caller,
    defects: () => lives.flatMap((life) => defectsIn(life.written())),
    start: async (skewMs = 0) => {
      const environment = { ...home.environment, SKEW_CLOCK_MS: String(skewMs) };
      const preload = skewMs === 0 ? undefined : skewing;
      const until = performance.now() + startWithinMs;
      for (;;) {
        try {
          watch(await serve({ ...home, environment }, preload, role));
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

function defectsIn(written: Buffer): string[] {
  return written
    .toString('utf8')
    .split('\n')
    .filter((line) => line.includes('"msg":"defect"'));
}

function lastOf(written: Buffer): string {
  return written.toString('utf8').slice(-1_500);
}
