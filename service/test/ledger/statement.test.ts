import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readLedger, type LedgerEntry, type LedgerPlace } from '../../src/core/ledger/read-ledger.ts';
import { createUsageReader, type ReadUsage } from '../../src/core/ledger/read-usage.ts';
import type { Store } from '../../src/core/store/store.ts';
import { statement } from '../../src/core/store/statement.ts';
import { oneDatabase, type TestStore } from '../support/databases.ts';
import { createTestClock, type TestClock } from '../../../engine/test/support/test-clock.ts';
import { act } from './act.ts';
import { anyCommand, type Command } from './command.ts';
import { openFixture } from './fixture.ts';

const runs = 40;

const everyEntry = statement((db, arg: { account: string }) =>
  db
    .selectFrom('entry')
    .select(['number', 'kind', 'credits', 'at'])
    .where('account_id', '=', arg.account)
    .orderBy('number'),
);

type RawEntry = Pick<LedgerEntry, 'number' | 'kind' | 'credits' | 'at'>;
type Figures = Pick<LedgerEntry, 'available' | 'reserved' | 'spent'>;

for (const database of oneDatabase) {
  describe(`the statement of an account on ${database.name}`, () => {
    it(`adds up after every entry and every day, as the model has it, in ${runs} random sequences`, async () => {
      const testStore = await database.open();
      const time = createTestClock();
      const sequence = fc.record({
        commands: fc.array(anyCommand, { minLength: 1, maxLength: 40, size: 'max' }),
        pageSize: fc.integer({ min: 1, max: 9 }),
        days: fc.integer({ min: 1, max: 90 }),
      });
      await fc.assert(
        fc.asyncProperty(sequence, (given) => checkSequence(given, testStore, time)),
        { numRuns: runs },
      );
      await testStore.close();
    });
  });
}

/** Nothing is left under way, so that the next sequence, in the same database, meets its own tasks only. */
const toTheEnd: Command[] = [
  { kind: 'advance', ms: 1_800_000 },
  { kind: 'sweep' },
  { kind: 'advance', ms: 1 },
];

type Sequence = { commands: Command[]; pageSize: number; days: number };

async function checkSequence(
  { commands, pageSize, days }: Sequence,
  testStore: TestStore,
  time: TestClock,
): Promise<void> {
  const { store } = testStore;
  const fixture = await openFixture(testStore, time, 6);
  const { accountId, model } = fixture;
  const { byDay: readUsage } = createUsageReader({ store, wallClock: time.wallClock });
  /** What the model held when the ledger was so long. */
  const modelAt = new Map<number, Figures>();
  for (const [n, command] of [...commands, ...toTheEnd].entries()) {
    await act(fixture, command);
    const entries = await store.read.all(everyEntry, { account: accountId });
    const { available, reserved, spent } = model;
    modelAt.set(entries.length, { available, reserved, spent });
    // Asked now and then, because what was summed before is remembered; a longer time makes it begin again.
    if (n % 5 === 4) await checkUsage(readUsage, { entries, accountId, days: 1 + ((days + n) % 90), time });
  }
  const entries = await store.read.all(everyEntry, { account: accountId });
  await checkUsage(readUsage, { entries, accountId, days, time });

  const shown = await readInPages(store, accountId, pageSize);
  assert.deepEqual(
    shown.map(({ number, kind, credits, at }) => ({ number, kind, credits, at })),
    entries.map((entry) => ({ ...entry })).reverse(),
  );
  const figures = { available: 0, reserved: 0, spent: 0 };
  for (const entry of shown.reverse()) {
    addTo(figures, entry);
    const { available, reserved, spent } = entry;
    assert.deepEqual({ available, reserved, spent }, figures, `after entry ${entry.number}`);
    const expected = modelAt.get(entry.number);
    if (expected !== undefined) assert.deepEqual(figures, expected, `as the model at ${entry.number}`);
  }
}

async function readInPages(store: Store, accountId: string, limit: number): Promise<LedgerEntry[]> {
  const shown: LedgerEntry[] = [];
  let from: LedgerPlace | undefined;
  do {
    const page = await readLedger({ accountId, limit, from }, { store });
    assert.ok(page.kind === 'page');
    assert.ok(page.entries.length === limit || page.next === undefined, 'only the last page is short');
    shown.push(...page.entries);
    from = page.next;
  } while (from !== undefined);
  return shown;
}

/** Forwards, the way an accountant would, where the service works backwards. */
function addTo(figures: Figures, { kind, credits }: RawEntry): void {
  if (kind === 'grant' || kind === 'release') figures.available += credits;
  if (kind === 'reserve') figures.available -= credits;
  if (kind === 'reserve') figures.reserved += credits;
  if (kind === 'charge' || kind === 'release') figures.reserved -= credits;
  if (kind === 'charge') figures.spent += credits;
}

type AskedUsage = { entries: RawEntry[]; accountId: string; days: number; time: TestClock };

async function checkUsage(
  readUsage: ReadUsage,
  { entries, accountId, days, time }: AskedUsage,
): Promise<void> {
  const shown = await readUsage({ accountId, days });
  const today = Date.parse(isoDay(time.wallClock.now()));
  const expected = Array.from({ length: days }, (_, n) => {
    const date = isoDay(today - (days - 1 - n) * 86_400_000);
    const sum = (kind: string) =>
      entries
        .filter((entry) => entry.kind === kind && isoDay(entry.at) === date)
        .reduce((total, { credits }) => total + credits, 0);
    return { date, charged: sum('charge'), reserved: sum('reserve'), released: sum('release') };
  });
  assert.deepEqual(shown, expected);
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
