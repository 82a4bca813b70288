/** The service as a user starts it, in a world on loopback: `./mailproof serve` and the other commands. */
import { standardWorld, type World, type WorldDescription } from '@mailproof/world';
import { serviceOnVariable } from '../support/databases.ts';
import type { Row, Serving, Settings } from '../support/mailproof.ts';
import { openFixture, type Balance, type Fixture } from '../support/open-fixture.ts';
import { createCheckedClient, type CheckedClient } from './client.ts';

export type Account = { accountId: string; key: string };

export type RunningService = {
  url: string;
  world: World;
  dataDir: string;
  /** The account that the first start made and printed. */
  first: Account & { testKey: string };
  client: CheckedClient;
  process: Serving;
  command(...args: string[]): Promise<Row>;
  openAccount(options?: { plan?: 'paid' | 'none'; credits?: number }): Promise<Account>;
  /** Returns the balance of an account; its parts must add up at any moment. */
  balance(account: Account): Promise<Balance>;
  /** Stops it as an operator would and starts it again on the same data. */
  restart(): Promise<void>;
  /** Starts it after it has ended. */
  startAgain(): Promise<void>;
  /** Stops it and its world and removes its data. */
  stop(): Promise<void>;
};

/** faults/on-postgresql.test.ts runs the same tests on PostgreSQL, each service with its own database. */
const database = process.env[serviceOnVariable] === 'PostgreSQL' ? 'PostgreSQL' : 'SQLite';

/** The features of the services under test, as `MAILPROOF_FEATURES` names them; all if unset (faults/core-alone.test.ts). */
export const featuresVariable = 'MAILPROOF_TEST_FEATURES';
const features = process.env[featuresVariable];

type Circumstances = { settings?: Settings; places?: WorldDescription; denyAllNames?: boolean };

export async function startServiceInWorld(circumstances: Circumstances = {}): Promise<RunningService> {
  const { settings = {}, places, denyAllNames = false } = circumstances;
  const { zones, hosts } = standardWorld();
  const fixture = await openFixture({
    world: { zones: { ...zones, ...places?.zones }, hosts: { ...hosts, ...places?.hosts } },
    denyAllNames,
    settings: {
      MAILPROOF_DEFER_RETRY_MS: '1000',
      ...(features === undefined ? {} : { MAILPROOF_FEATURES: features }),
      ...settings,
    },
    database,
  });
  try {
    return await serve(fixture);
  } catch (error) {
    await fixture.close();
    throw error;
  }
}

async function serve(fixture: Fixture): Promise<RunningService> {
  const { world, dataDir, command } = fixture;
  const start = () => fixture.serve({ through: 'script' });
  const process = await start();
  const { url } = process;
  const service: RunningService = {
    url,
    world,
    dataDir,
    process,
    command,
    first: firstAccount(process.stdout()),
    client: await createCheckedClient(url),
    openAccount: async (request = {}) => {
      const { accountId, liveKey: key } = await fixture.openAccount(request);
      return { accountId, key };
    },
    balance: async ({ accountId }) => balanced(await fixture.balance(accountId)),
    async restart() {
      await endByRequest(service.process);
      await service.startAgain();
    },
    async startAgain() {
      service.process = await start();
      service.url = service.process.url;
      service.client = await createCheckedClient(service.url);
    },
    async stop() {
      await endByRequest(service.process);
      await fixture.close();
    },
  };
  return service;
}

/** Sends SIGTERM and asserts that it ends with 0, with nothing left undone. */
async function endByRequest({ stop, stderr }: Serving): Promise<void> {
  const code = await stop();
  if (code !== 0) throw new Error(`the service ended with ${String(code)}: ${stderr()}`);
}

function firstAccount(printed: string): RunningService['first'] {
  const find = (pattern: RegExp) => pattern.exec(printed)?.[0] ?? '';
  return { accountId: find(/acct_\w+/), key: find(/mp_live_\w+/), testKey: find(/mp_test_\w+/) };
}

function balanced(balance: Balance): Balance {
  const { granted, available, reserved, spent } = balance;
  if (available + reserved + spent !== granted) throw new Error(`unbalanced: ${JSON.stringify(balance)}`);
  return balance;
}
