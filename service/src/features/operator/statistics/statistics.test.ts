import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statement } from '../../../core/store/statement.ts';
import { databases } from '../../../../test/support/databases.ts';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { readVerdictCounts } from './read-verdict-counts.ts';
import { createVerdictCounts } from './verdict-counts.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const everyRow = statement((db) => db.selectFrom('verdict_count').selectAll());

/** At the beginning of an hour, so that the steps are easy to tell. */
const startsAt = Date.UTC(2026, 0, 2, 3);

for (const database of databases) {
  describe(`statistics on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock(startsAt);
      const parts = { store, wallClock: time.wallClock };
      const counts = createVerdictCounts(parts);
      const note = (outcome: string, reason = '', mailHost?: string) =>
        counts.note({ outcome, reason, mailHost });
      const read = (hours: number) => readVerdictCounts(hours, parts);
      return { store, close, time, parts, counts, note, read };
    }

    it('count by status, by the reason of an unknown and by known provider, and nothing else', async () => {
      const { store, counts, note, read, close } = await setUp();
      note('safe', 'mailbox_accepted', 'aspmx.l.google.com');
      note('safe', 'mailbox_accepted', 'ASPMX.L.google.com.');
      note('unknown', 'greylisted', 'mx.secret-customer.example');
      note('invalid', 'no_such_domain');
      await counts.write();
      const { totals } = await read(1);
      assert.deepEqual(totals, [
        { outcome: 'safe', reason: '', provider: 'google', verdicts: 2 },
        ...totals.slice(1),
      ]);
      assert.deepEqual(
        totals.slice(1).sort((a, b) => a.outcome.localeCompare(b.outcome)),
        [
          { outcome: 'invalid', reason: '', provider: 'none', verdicts: 1 },
          { outcome: 'unknown', reason: 'greylisted', provider: 'other', verdicts: 1 },
        ],
      );
      assert.doesNotMatch(JSON.stringify(await store.read.all(everyRow, {})), /secret|example|aspmx/i);
      await close();
    });

    it('are shown over time without gaps, the oldest first, in steps that fit', async () => {
      const { counts, note, read, time, close } = await setUp();
      note('safe');
      time.advance(20 * minuteMs);
      note('safe');
      note('invalid');
      await counts.write();
      const day = (await read(24)).steps;
      assert.equal(day.length, 96);
      assert.deepEqual(
        day.map(({ beginsAt }) => beginsAt),
        day.map((_, n) => startsAt + 30 * minuteMs - (96 - n) * 15 * minuteMs),
      );
      assert.deepEqual(
        day.slice(-3).map(({ counts: shown }) => shown),
        [{}, { safe: 1 }, { safe: 1, invalid: 1 }],
      );
      const hour = (await read(1)).steps;
      assert.equal(hour.length, 60);
      assert.deepEqual(hour.at(-21)?.counts, { safe: 1 });
      assert.deepEqual(hour.at(-1)?.counts, { safe: 1, invalid: 1 });
      for (const hours of [1, 2, 5, 7, 24, 48, 168, 720]) {
        const { steps } = await read(hours);
        const shownMs = steps.reduce((sum, { stepMs }) => sum + stepMs, 0);
        assert.ok(steps.length <= 101 && shownMs >= hours * hourMs, `${hours} h in ${steps.length} steps`);
        assert.equal(
          steps.reduce((sum, step) => sum + (step.counts['safe'] ?? 0), 0),
          2,
          `${hours} h`,
        );
      }
      await close();
    });

    it('of several processes are added up, however often they write', async () => {
      const { counts, note, read, parts, close } = await setUp();
      const other = createVerdictCounts(parts);
      for (let round = 0; round < 5; round += 1) {
        note('safe');
        other.note({ outcome: 'safe', reason: '', mailHost: undefined });
        other.note({ outcome: 'unknown', reason: 'timeout', mailHost: undefined });
        await Promise.all([counts.write(), other.write()]);
      }
      await counts.write();
      const { totals } = await read(1);
      assert.deepEqual(totals.map(({ outcome, verdicts }) => [outcome, verdicts]).sort(), [
        ['safe', 10],
        ['unknown', 5],
      ]);
      await close();
    });

    it('what a failing store did not take is written later, once', async () => {
      const { store, read, time, close } = await setUp();
      let failing = true;
      const write: typeof store.write = (operation) =>
        failing ? Promise.reject(new Error('away')) : store.write(operation);
      const counts = createVerdictCounts({ store: { write }, wallClock: time.wallClock });
      for (let n = 0; n < 250; n += 1)
        counts.note({ outcome: 'unknown', reason: `r${n}`, mailHost: undefined });
      await assert.rejects(counts.write(), /away/);
      counts.note({ outcome: 'unknown', reason: 'r0', mailHost: undefined });
      failing = false;
      await counts.write();
      await counts.write();
      const { totals } = await read(1);
      assert.equal(totals.length, 250);
      assert.deepEqual(totals[0], { outcome: 'unknown', reason: 'r0', provider: 'none', verdicts: 2 });
      await close();
    });

    it('are kept for a month, by the minute for some hours, and then erased', async () => {
      const { store, counts, note, read, time, close } = await setUp();
      note('safe');
      await counts.write();
      assert.equal((await store.read.all(everyRow, {})).length, 2);
      time.advance(8 * hourMs);
      await counts.write();
      assert.deepEqual(
        (await store.read.all(everyRow, {})).map(({ step_ms }) => step_ms),
        [15 * minuteMs],
      );
      time.advance(29 * 24 * hourMs);
      await counts.write();
      assert.equal((await read(720)).totals[0]?.verdicts, 1);
      time.advance(3 * 24 * hourMs);
      await counts.write();
      assert.deepEqual(await store.read.all(everyRow, {}), []);
      await close();
    });
  });
}
