/**
 * A list of a million rows in the sandbox, a workbook, and a list in a world, on one database: SQLite in one process,
 * or PostgreSQL with the API and the worker in processes of their own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccountWithKeys, openStore } from '../../../service/src/index.ts';
import { idleModule } from '../engine/idle-module.ts';
import type { Population } from '../engine/population.ts';
import type { Machine } from '../results/describe-machine.ts';
import type { BenchPostgres } from '../processes/bench-postgres.ts';
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';
import { checkList, type CheckListParts, type ListFigures } from './check-list.ts';
import { sandboxList, worldList } from './list-content.ts';
import { startWatchedService } from './watched-service.ts';

export type ListSizes = { csvRows: number; workbookRows: number; population: Population };

export type DatabaseFigures = {
  database: 'SQLite' | 'PostgreSQL';
  /** Of the server; none on SQLite. */
  version: string | undefined;
  machine: Machine;
  sizes: ListSizes;
  lists: ListFigures[];
};

type MeasureParts = { sizes: ListSizes; tell: (message: string) => void };

const credits = 10_000_000;

/** On SQLite where no PostgreSQL is given. */
export async function measureLists(
  postgres: BenchPostgres | undefined,
  { sizes, tell }: MeasureParts,
): Promise<Omit<DatabaseFigures, 'machine'>> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const internet = startChild(worldModule);
  const idle = startChild(idleModule);
  const database = await postgres?.createDatabase('lists');
  try {
    const { environment } = await internet.ask({ kind: 'populate', population: sizes.population });
    const dataDir = join(folder, 'data');
    const env = {
      ...environment,
      MAILPROOF_PORT: '0',
      MAILPROOF_DATA_DIR: dataDir,
      MAILPROOF_SANDBOX_DELAYS: 'off',
      MAILPROOF_SANDBOX_ADDRESSES_PER_HOUR: '10000000',
      ...(database === undefined ? {} : { MAILPROOF_DATABASE_URL: database.url }),
    };
    const keys = await openAccount({ dataDir, databaseUrl: database?.url });
    const roles = database === undefined ? (['all'] as const) : (['api', 'worker'] as const);
    const service = await startWatchedService(roles, { env, folder });
    const bystander: CheckListParts['bystander'] = {
      begin: async () => {
        await idle.ask({ kind: 'begin' });
      },
      end: async () => (await idle.ask({ kind: 'end' }))?.loopDelayMaxMs ?? NaN,
    };
    const name = database === undefined ? 'SQLite' : 'PostgreSQL';
    const parts = { service, bystander, tell: (message: string) => tell(`${name}, ${message}`) };
    try {
      const lists = await checkLists(sizes, { keys, parts });
      return { database: name, version: postgres?.version, sizes, lists };
    } finally {
      await service.stop();
    }
  } finally {
    await Promise.all([internet.stop(), idle.stop(), database?.close()]);
    rmSync(folder, { recursive: true });
  }
}

type Keys = { live: string; test: string };

async function checkLists(
  { csvRows, workbookRows, population }: ListSizes,
  { keys, parts }: { keys: Keys; parts: CheckListParts },
): Promise<ListFigures[]> {
  const csv = {
    name: 'CSV, sandbox',
    content: sandboxList(csvRows),
    format: 'csv',
    apiKey: keys.test,
  } as const;
  const xlsx = {
    name: '.xlsx, sandbox',
    content: sandboxList(workbookRows),
    format: 'xlsx',
    apiKey: keys.test,
  } as const;
  const world = {
    name: 'CSV, world',
    content: worldList(population),
    format: 'csv',
    apiKey: keys.live,
  } as const;
  const lists: ListFigures[] = [];
  for (const order of [csv, xlsx, world]) lists.push(await checkList(order, parts));
  return lists;
}

async function openAccount(place: { dataDir: string; databaseUrl: string | undefined }): Promise<Keys> {
  const { dataDir, databaseUrl } = place;
  const store = await openStore({
    dataDir,
    check: true,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  const parts = { store, wallClock: Date, actor: 'command_line' as const };
  try {
    const made = await createAccountWithKeys({ name: 'bench', plan: 'paid', credits }, parts);
    return { live: made.liveKey.apiKey, test: made.testKey.apiKey };
  } finally {
    await store.close();
  }
}
