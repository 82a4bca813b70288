/** An API and a worker that can dial no mail host at all, and probers elsewhere through which they ask. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldDescription } from '@mailproof/world';
import { readConfig, type Config } from '../../src/start/config.ts';
import { readEgress } from '../../src/features/probers/egress-addresses.ts';
import {
  addProber,
  enrolProber,
  makeProberSecret,
  removeProber,
  type ProberBounds,
} from '../../src/features/probers/prober-records.ts';
import { listProbers, type ListedProber } from '../../src/features/probers/list-probers.ts';
import { startProber, type ProberService } from '../../src/features/probers/start-prober.ts';
import { openStore } from '../../src/start/open-store.ts';
import type { Service } from '../../src/main.ts';
import type { Store } from '../../src/core/store/store.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import type { Settings } from './mailproof.ts';
import { openFixture, type Fixture, type OpenedAccount } from './open-fixture.ts';
import { until } from './until.ts';

export type ProberFixture = {
  fixture: Fixture;
  url: string;
  /** Of the API, where the settings give it a port for that. */
  metricsUrl: string;
  client: ApiClient;
  account: OpenedAccount;
  store: Store;
  /** Adds a prober and starts it; what it is to be told differently goes in `env`. */
  startProber: (
    name: string,
    how?: { url?: string; env?: Settings; dataDir?: string; providers?: object },
  ) => Promise<ProberService>;
  /** What `./mailproof probers add` does. */
  invite: (name: string, bounds?: Partial<ProberBounds>) => Promise<{ proberId: string; token: string }>;
  remove: (id: string) => Promise<void>;
  list: () => Promise<ListedProber[]>;
  /** Waits until mail hosts are asked through it. */
  untilWell: (name: string) => Promise<void>;
  close: () => Promise<void>;
};

type Options = {
  world: WorldDescription;
  database: 'SQLite' | 'PostgreSQL';
  settings?: Settings;
  /** The providers file of the centre. */
  providers?: object;
  /**
   * Enrols a prober that never comes, before the API and the worker start. Without one enrolled they ask mail hosts
   * themselves: for tests whose probers come and go, where nobody should stand in for them in between.
   */
  absentProber?: boolean;
};

export async function openProberFixture(options: Options): Promise<ProberFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-probers-'));
  const fixture = await openFixture({ ...options, settings: centreSettings(folder, options) });
  const account = await fixture.openAccount({ credits: 10_000 });
  const store = await openStore({ ...configOf(fixture.env), check: false });
  const parts = { store, wallClock: store.clock ?? Date, actor: 'command_line' as const };
  const probers: ProberService[] = [];

  const invite: ProberFixture['invite'] = async (name, bounds) => {
    const added = await addProber(name, parts, bounds);
    if (added.kind !== 'added') throw new Error(added.kind);
    return added;
  };
  const list = () => listProbers(parts);
  if (options.absentProber === true)
    await enrolProber({ ...(await invite('absent')), secret: makeProberSecret() }, parts);
  const services: Service[] = [await fixture.startHere({ role: 'api' })];
  services.push(await fixture.startHere({ role: 'worker' }));
  const url = services[0]?.url ?? '';
  const client = createApiClient(url);
  return {
    fixture,
    url,
    metricsUrl: services[0]?.metricsUrl ?? '',
    client,
    account,
    store,
    invite,
    list,
    startProber: async (name, how = {}) => {
      const { url: through = url, env = {}, dataDir = join(folder, name), providers } = how;
      const file = join(folder, `${name}.json`);
      if (providers !== undefined) writeFileSync(file, JSON.stringify(providers));
      const known = (await list()).find((one) => one.name === name);
      const token = known === undefined ? (await invite(name, boundsOf(providers))).token : undefined;
      const config = configOf({
        ...fixture.world.environment,
        MAILPROOF_DATA_DIR: dataDir,
        ...(providers === undefined ? {} : { MAILPROOF_PROVIDERS_FILE: file }),
        ...env,
      });
      const signal = new AbortController().signal;
      const logDestination = { write: () => undefined };
      const started = await startProber(config, {
        url: through,
        token,
        version: '0',
        signal,
        logDestination,
      });
      probers.push(started);
      return started;
    },
    remove: async (id) => {
      await removeProber(id, parts);
    },
    untilWell: async (name) => {
      await until(list, (all) => all.some((one) => one.name === name && one.state === 'well'));
      await untilHeard({ store, client });
    },
    close: async () => {
      client.close();
      await Promise.all(probers.map((prober) => prober.stop()));
      for (const service of services.reverse()) await service.stop();
      await store.close();
      await fixture.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The API and the worker hear of a prober a moment later, and leave what they asked from themselves. */
async function untilHeard({ store, client }: Pick<ProberFixture, 'store' | 'client'>): Promise<void> {
  await until(
    () => readEgress(store.read),
    (all) => all.every(({ kind, owner }) => kind === 'outside' || owner === ''),
  );
  await until(
    () => client.ask({ method: 'GET', path: '/readyz' }, { insist: false }),
    ({ body }) => !JSON.stringify(body).includes('no prober'),
  );
}

/** An operator gives a prober the routes of its own file. */
function boundsOf(providers: { routes?: { id: string }[] } | undefined): Partial<ProberBounds> {
  return providers?.routes === undefined ? {} : { egress: providers.routes.map(({ id }) => id) };
}

/** The guard of the centre lets nothing out to the world. */
function centreSettings(folder: string, { settings = {}, providers }: Options): Settings {
  const file = join(folder, 'providers.json');
  if (providers !== undefined) writeFileSync(file, JSON.stringify(providers));
  return {
    MAILPROOF_EGRESS_ALLOW: '192.0.2.0/24',
    MAILPROOF_DEFER_RETRY_MS: '1000',
    ...(providers === undefined ? {} : { MAILPROOF_PROVIDERS_FILE: file }),
    ...settings,
  };
}

function configOf(env: Settings): Config {
  const read = readConfig(env);
  if (read.kind === 'bad') throw new Error(read.problem);
  return read.config;
}
