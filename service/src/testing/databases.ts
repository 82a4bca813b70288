import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type OpenStoreParts } from '../db/open-store.ts';
import type { Store } from '../db/store.ts';

/** A database to test with: real files, thrown away afterwards. */
export type TestStore = { store: Store; dataDir: string; close: () => Promise<void> };

export type TestDatabase = {
  name: string;
  open: (parts?: OpenStoreParts) => Promise<TestStore>;
};

/** The suites of the store run over each of these. */
export const databases: TestDatabase[] = [{ name: 'SQLite', open: openSqlite }];

async function openSqlite(parts?: OpenStoreParts): Promise<TestStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  const store = await openStore({ dataDir, check: true, threaded: parts === undefined }, parts);
  return {
    store,
    dataDir,
    close: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
