import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultLimits } from '../limits.ts';
import { cachedResolver } from './cached-resolver.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { Lookup, DnsAnswer, DnsQuestion, LookupOrder, WireLookup, WireRecord } from './lookup.ts';

const question: DnsQuestion = { name: 'example.test', type: 'A' };

function foundAnswer(ttlS: number, text = '192.0.2.1'): DnsAnswer {
  return { lookup: { kind: 'found', records: [{ text, preference: 0 }] }, ttlS };
}

/** A cache over answers that are given by hand; `asked` holds every question that reached the wire. */
function cacheOver(answers: (question: DnsQuestion) => DnsAnswer | Promise<DnsAnswer>, limits = {}) {
  const clock = createTestClock();
  const asked: { question: DnsQuestion; isGivenUp: boolean }[] = [];
  const begin = ({ question: one, owner }: LookupOrder): WireLookup => {
    const lookup = { question: one, isGivenUp: false };
    asked.push(lookup);
    void Promise.resolve()
      .then(() => answers(one))
      .then(
        (answer) => owner.answered(answer),
        (error: unknown) => owner.broke(error),
      );
    return { giveUp: () => void (lookup.isGivenUp = true) };
  };
  const cache = cachedResolver(begin, { clock, limits: { ...defaultLimits, ...limits } });
  const patience = (ms = 60_000, signal = new AbortController().signal) => ({
    deadline: clock.now() + ms,
    signal,
  });
  return { ...cache, clock, asked, patience };
}

describe('answers live as long as their zone allows', () => {
  const failed: Lookup<WireRecord> = { kind: 'failed', failure: 'servfail' };
  const lives: [string, DnsAnswer, number][] = [
    ['a TTL is honoured', foundAnswer(120), 120],
    ['a TTL is capped by dnsTtlMaxS', foundAnswer(1_000_000), defaultLimits.dnsTtlMaxS],
    ['no data lives as the SOA says', { lookup: { kind: 'no_data' }, ttlS: 45 }, 45],
    [
      'no such name is capped',
      { lookup: { kind: 'no_such_name' }, ttlS: 86_400 },
      defaultLimits.dnsNegativeTtlMaxS,
    ],
    ['a failure lives for seconds only', { lookup: failed, ttlS: 0 }, defaultLimits.dnsFailureTtlS],
    [
      'a failure lives for seconds whatever its TTL',
      { lookup: failed, ttlS: 900 },
      defaultLimits.dnsFailureTtlS,
    ],
  ];
  for (const [title, answer, lifeS] of lives) {
    test(title, async () => {
      const { ask, asked, clock, patience } = cacheOver(() => answer);
      assert.deepEqual(await ask(question, patience()), answer);
      clock.advance(lifeS * 1_000 - 1);
      assert.deepEqual(await ask(question, patience()), answer);
      assert.equal(asked.length, 1);
      clock.advance(1);
      await ask(question, patience());
      assert.equal(asked.length, 2);
    });
  }

  test('a TTL of 0 is not kept', async () => {
    const { ask, asked, patience } = cacheOver(() => foundAnswer(0));
    await ask(question, patience());
    await ask(question, patience());
    assert.equal(asked.length, 2);
  });

  test('a kept answer is given even when no time is left to ask', async () => {
    const { ask, patience } = cacheOver(() => foundAnswer(60));
    await ask(question, patience());
    assert.equal((await ask(question, patience(0))).lookup.kind, 'found');
  });

  test('the name and the type make the question', async () => {
    const { ask, asked, patience } = cacheOver(({ name, type }) => foundAnswer(60, `${type} ${name}`));
    for (const type of ['A', 'AAAA', 'MX'] as const) {
      for (const name of ['a.test', 'b.test']) {
        const { lookup } = await ask({ name, type }, patience());
        assert.deepEqual(lookup, foundAnswer(60, `${type} ${name}`).lookup);
      }
    }
    assert.equal(asked.length, 6);
  });

  test('a full cache drops what was not asked for the longest', async () => {
    const { ask, asked, patience } = cacheOver(() => foundAnswer(60), { dnsCacheEntries: 2 });
    for (const name of ['a.test', 'b.test', 'a.test', 'c.test', 'a.test'])
      await ask({ name, type: 'A' }, patience());
    assert.deepEqual(
      asked.map((one) => one.question.name),
      ['a.test', 'b.test', 'c.test'],
    );
    await ask({ name: 'b.test', type: 'A' }, patience());
    assert.equal(asked.length, 4);
  });

  test('forgetMissing drops "no such name" and nothing else', async () => {
    const { ask, asked, forgetMissing, patience } = cacheOver(({ name }) =>
      name === 'gone.test' ? { lookup: { kind: 'no_such_name' }, ttlS: 60 } : foundAnswer(60),
    );
    const both = async () => {
      await ask({ name: 'gone.test', type: 'MX' }, patience());
      await ask({ name: 'here.test', type: 'MX' }, patience());
    };
    await both();
    forgetMissing();
    await both();
    assert.deepEqual(
      asked.map((one) => one.question.name),
      ['gone.test', 'here.test', 'gone.test'],
    );
  });
});

describe('one lookup in flight per question', () => {
  test('all who ask meanwhile share it', async () => {
    const { promise, resolve } = Promise.withResolvers<DnsAnswer>();
    const { ask, asked, patience } = cacheOver(() => promise);
    const asking = Array.from({ length: 50 }, () => ask(question, patience()));
    resolve(foundAnswer(0));
    assert.deepEqual(new Set(await Promise.all(asking)).size, 1);
    assert.equal(asked.length, 1);
  });

  test('the abort of one does not cancel the others', async () => {
    const { promise, resolve } = Promise.withResolvers<DnsAnswer>();
    const { ask, asked, patience } = cacheOver(() => promise);
    const abort = new AbortController();
    const reason = new Error('gone');
    const one = ask(question, patience(60_000, abort.signal));
    const other = ask(question, patience());
    abort.abort(reason);
    await assert.rejects(one, reason);
    assert.equal(asked[0]?.isGivenUp, false);
    resolve(foundAnswer(60));
    assert.deepEqual(await other, foundAnswer(60));
  });

  test('the deadline of one does not cancel the others, and ends in silence', async () => {
    const { promise, resolve } = Promise.withResolvers<DnsAnswer>();
    const { ask, asked, clock, patience } = cacheOver(() => promise);
    const one = ask(question, patience(100));
    const other = ask(question, patience(1_000));
    clock.advance(100);
    assert.deepEqual((await one).lookup, { kind: 'failed', failure: 'silence' });
    assert.equal(asked[0]?.isGivenUp, false);
    resolve(foundAnswer(60));
    assert.deepEqual(await other, foundAnswer(60));
  });

  test('a lookup without callers is called off and not kept; the next caller starts anew', async () => {
    const first = Promise.withResolvers<DnsAnswer>();
    const answers = [first.promise, Promise.resolve(foundAnswer(60, 'second'))];
    const { ask, asked, clock, patience } = cacheOver(
      () => answers.shift() ?? assert.fail('asked too often'),
    );
    const one = ask(question, patience(100));
    clock.advance(100);
    await one;
    assert.equal(asked[0]?.isGivenUp, true);
    assert.deepEqual(await ask(question, patience()), foundAnswer(60, 'second'));
    first.resolve(foundAnswer(60, 'first'));
    await first.promise;
    await new Promise(setImmediate);
    assert.deepEqual(await ask(question, patience()), foundAnswer(60, 'second'));
    assert.equal(asked.length, 2);
  });

  test('an asker who comes with an aborted signal is turned away, answer or not', async () => {
    const { ask, patience } = cacheOver(() => foundAnswer(60));
    await ask(question, patience());
    await assert.rejects(ask(question, patience(1_000, AbortSignal.abort(new Error('before')))), /before/);
  });

  test('a defect of ours reaches every asker and is not kept', async () => {
    let defect = true;
    const { ask, patience } = cacheOver(() => {
      if (defect) throw new Error('defect');
      return foundAnswer(60);
    });
    const results = await Promise.allSettled([ask(question, patience()), ask(question, patience())]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    defect = false;
    assert.equal((await ask(question, patience())).lookup.kind, 'found');
  });
});
