/** What a service under test meets: a small mail internet, and PostgreSQL where that is its database. */
import type { WorldDescription } from '@mailproof/world';
import { startBenchPostgres, type BenchPostgres } from '../processes/bench-postgres.ts';
import { startChild } from '../processes/child.ts';
import type { Settings } from '../../../service/test/support/mailproof.ts';
import { worldModule } from '../processes/world-module.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export type Surroundings = {
  /** The settings with which a service meets this internet. */
  environment: Settings;
  postgres: BenchPostgres | undefined;
  stop(): Promise<void>;
};

export const places = {
  /** On the operator's list: a verdict needs DNS, which is cached, and no mail host. */
  disposable: 'throwaway.test',
  /** A host that says "later" to everybody: tasks with its addresses stay running. */
  greylisting: 'greylist.test',
  /** A host that never answers RCPT: those who wait for it cost no time of ours. */
  silent: 'silent.test',
} as const;

/** Domains with mailboxes, `alive00000@d000.test` to `alive00999@d999.test`, and the hosts they are dealt out to. */
const domains = 1_000;
const mailboxesADomain = 1_000;
const hosts = 250;

const dayS = 86_400;

const rules: WorldDescription = {
  zones: {
    [places.disposable]: { mx: [[10, 'mx.throwaway.test']], ttl: dayS },
    'mx.throwaway.test': { ttl: dayS, soaMinimum: dayS },
    [places.greylisting]: { mx: [[10, 'mx.greylist.test']] },
    [places.silent]: { mx: [[10, 'mx.silent.test']] },
  },
  hosts: {
    'mx.throwaway.test': {},
    'mx.greylist.test': { temper: { greylist: { waitMs: 10 * dayS * 1_000, defers: 'everybody' } } },
    'mx.silent.test': { temper: { fault: { phase: 'rcpt', fault: 'silence' } } },
  },
};

function world(): WorldDescription {
  const mailboxes = Object.fromEntries(
    Array.from({ length: mailboxesADomain }, (_, n) => [`alive${digits(n, 5)}`, 'exists' as const]),
  );
  const description: WorldDescription = { zones: { ...rules.zones }, hosts: { ...rules.hosts } };
  for (let host = 0; host < hosts; host += 1) description.hosts[`mx${host}.test`] = { mailboxes };
  for (let domain = 0; domain < domains; domain += 1) {
    const mx: [number, string][] = [[10, `mx${domain % hosts}.test`]];
    description.zones[`d${digits(domain, 3)}.test`] = { mx, ttl: dayS };
  }
  return description;
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0');
}

export async function openSurroundings(database: DatabaseKind): Promise<Surroundings> {
  const internet = startChild(worldModule);
  const postgres = database === 'postgres' ? await startBenchPostgres() : undefined;
  const { environment } = await internet.ask({ kind: 'start', description: world(), options: {} });
  return {
    environment,
    postgres,
    async stop() {
      await postgres?.stop();
      await internet.stop();
    },
  };
}
