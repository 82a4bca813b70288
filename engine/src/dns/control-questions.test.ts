import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { host } from '../../test/support/loopback-bench.ts';
import { ControlQuestions, type ControlFinding } from './control-questions.ts';
import type { DnsAnswer, DnsQuestion } from './lookup.ts';

const certain = ['one.test', 'two.test', 'three.test'];
const further = Array.from({ length: 12 }, (_, index) => `large${index}.test`);

const denied: DnsAnswer = { lookup: { kind: 'no_such_name' }, ttlS: 60 };
const noData: DnsAnswer = { lookup: { kind: 'no_data' }, ttlS: 60 };
const silence: DnsAnswer = { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };
const found = (ttlS: number, text = '192.0.2.1'): DnsAnswer => ({
  lookup: { kind: 'found', records: [{ text, preference: 0 }] },
  ttlS,
});

type Resolve = (question: DnsQuestion) => DnsAnswer;

function setUp({ names = further, leadsNowhere = (ip: string) => ip === '0.0.0.0' } = {}) {
  const clock = createTestClock();
  const questions = new ControlQuestions({
    names: { certain: certain.map(host), further: names.map(host) },
    clock,
    leadsNowhere,
  });
  const asked: string[] = [];
  function control(resolve: Resolve): ControlFinding['kind'] {
    const next = questions.next();
    asked.push(...next.map(({ name, type }) => `${type} ${name}`));
    const { kind } = questions.read(next, next.map(resolve));
    clock.advance(1_250);
    return kind;
  }
  const many = (times: number, resolve: Resolve) => Array.from({ length: times }, () => control(resolve));
  return { clock, asked, control, many };
}

/** A resolver that keeps what it was asked for, and counts its life down as a cache does. */
function cacheOver(now: () => number, uplink: Resolve) {
  const kept = new Map<string, { answer: DnsAnswer; until: number }>();
  return {
    uplink,
    resolve(question: DnsQuestion): DnsAnswer {
      const key = `${question.type} ${question.name}`;
      const known = kept.get(key);
      if (known !== undefined && known.until > now())
        return { ...known.answer, ttlS: Math.floor((known.until - now()) / 1_000) };
      const answer = this.uplink(question);
      if (answer.lookup.kind === 'found') kept.set(key, { answer, until: now() + 1_000 * answer.ttlS });
      return answer;
    },
  };
}

describe('control questions', () => {
  test('a resolver that finds is proved each time, and two questions are all a control costs', () => {
    const { asked, many } = setUp();
    assert.deepEqual(new Set(many(40, () => found(300))), new Set(['proved']));
    assert.equal(asked.length, 80 + 4, 'and four more at the start');
  });

  test('names and types rotate: no question comes again before all were asked', () => {
    const { asked, many } = setUp({ names: [] });
    many(8, () => found(300));
    assert.deepEqual(new Set(asked).size, 9);
  });

  for (const [title, answer] of Object.entries({ 'no such name': denied, 'no data': noData })) {
    test(`${title} to everything, from the start or later: it denies`, () => {
      const { control, many } = setUp();
      assert.deepEqual(
        many(30, () => answer),
        Array(30).fill('denies'),
      );
      many(3, () => found(300));
      assert.equal(
        control(() => answer),
        'denies',
      );
    });
  }

  test('an address that leads nowhere is no find', () => {
    const { control } = setUp();
    assert.equal(
      control(({ type }) => (type === 'A' ? found(2, '0.0.0.0') : noData)),
      'denies',
    );
  });

  test('silence proves nothing and denies nothing', () => {
    const { control } = setUp();
    assert.equal(
      control(() => silence),
      'unproved',
    );
    control(() => found(300));
    assert.equal(
      control(() => silence),
      'unproved',
    );
  });

  test('a cache does not answer for a dead uplink', () => {
    const { clock, many } = setUp();
    const cache = cacheOver(
      () => clock.now(),
      () => found(300),
    );
    many(15, (question) => cache.resolve(question));
    cache.uplink = () => denied;
    const after = many(500, (question) => cache.resolve(question));
    assert.ok(!after.includes('proved'));
    cache.uplink = () => found(300);
    assert.ok(many(2, (question) => cache.resolve(question)).includes('proved'), 'it is proved soon after');
  });

  test('nor does one that does not count down, while there are names it was not asked for', () => {
    const { many } = setUp();
    const known = new Set<string>();
    many(5, ({ name, type }) => {
      known.add(`${type} ${name}`);
      return found(300);
    });
    const after = many(6, ({ name, type }) => (known.has(`${type} ${name}`) ? found(300) : denied));
    assert.ok(!after.includes('proved'), after.join());
  });

  test('a cache that goes on fetching is proved again and again', () => {
    const { clock, many } = setUp();
    const cache = cacheOver(
      () => clock.now(),
      () => found(30),
    );
    const proved = many(200, (question) => cache.resolve(question)).filter((kind) => kind === 'proved');
    assert.ok(proved.length > 100, `${proved.length} of 200`);
  });

  test('a DNS that knows the certain names alone is proved by them', () => {
    const { many } = setUp();
    const small: Resolve = ({ name }) => (certain.includes(name) ? found(300) : denied);
    assert.deepEqual(new Set(many(40, small)), new Set(['proved']));
  });

  test('so is one that knows a few of the others', () => {
    const { many } = setUp();
    const few: Resolve = ({ name }) =>
      certain.includes(name) || ['large5.test', 'large9.test'].includes(name) ? found(300) : denied;
    assert.deepEqual(new Set(many(60, few)), new Set(['proved']));
  });

  test('a name that is gone for good costs one control, and no other', () => {
    const { many } = setUp();
    const kinds = many(60, ({ name }) => (name === 'large7.test' ? denied : found(300)));
    assert.ok(kinds.filter((kind) => kind !== 'proved').length <= 3, kinds.join());
  });

  test('a type that a name never had is not missed after the resolver has recovered', () => {
    const { many } = setUp({ names: [] });
    const withoutTexts: Resolve = ({ type }) => (type === 'TXT' ? noData : found(300));
    many(2, withoutTexts);
    many(20, () => denied);
    assert.equal(many(20, withoutTexts).at(-1), 'proved');
  });

  test('once it tells the truth again, in a small DNS or a large one, the next control proves it', () => {
    for (const known of [certain, [...certain, ...further]]) {
      const { control, many } = setUp();
      const truth: Resolve = ({ name }) => (known.includes(name) ? found(300) : denied);
      many(3, truth);
      assert.ok(!many(40, () => denied).includes('proved'));
      assert.equal(control(truth), 'proved', `${known.length} names`);
    }
  });

  test('with few names of the operator behind a cache, a held answer is the best there is', () => {
    const { clock, many } = setUp({ names: [] });
    const cache = cacheOver(
      () => clock.now(),
      ({ type }) => (type === 'TXT' ? noData : found(3_600)),
    );
    assert.deepEqual(new Set(many(40, (question) => cache.resolve(question))), new Set(['proved']));
  });
});
