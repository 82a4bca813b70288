import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { DomainPosture } from './dns/find-posture.ts';
import type { CatchAllAnswer, Evidence } from './evidence.ts';
import { scoreOf, scoreStarts, type ScoredStatus } from './score.ts';
import type { CanonicalHost } from './syntax/address.ts';
import { judge } from './verdict.ts';

const hourMs = 3_600_000;

type Facts = {
  domain: string;
  mailHost: string;
  implicit: boolean;
  role: boolean;
  notForBulk: boolean;
  free: boolean;
  catchAll: CatchAllAnswer;
  posture: DomainPosture;
};

const plain: Facts = {
  domain: 'plain.test',
  mailHost: 'mx.plain.test',
  implicit: false,
  role: false,
  notForBulk: false,
  free: false,
  catchAll: { kind: 'no', from: 'random_probe' },
  posture: {},
};

/** Evidence of an accepted mailbox. */
function evidence(facts: Partial<Facts>): Evidence {
  const { domain, mailHost, implicit, role, notForBulk, free, catchAll, posture } = { ...plain, ...facts };
  const host = domain as CanonicalHost;
  const name = mailHost as CanonicalHost;
  return {
    address: { email: `x@${domain}`, username: 'x', domain, host, localPart: 'x', needsSmtputf8: false },
    lists: {
      disposable: false,
      role,
      free,
      spamtrap: false,
      denied: false,
      ...(notForBulk ? { notForBulk } : {}),
    },
    route: {
      kind: 'takes_mail',
      implicit,
      mxRecords: [name],
      preferred: 1,
      first: { name, addresses: [] },
      further: [],
    },
    mailbox: {
      kind: 'answered',
      host: name,
      replies: [],
      meaning: { label: 'accepted', reason: 'accepted' },
      catchAll,
    },
    posture,
  };
}

function score(facts: Partial<Facts>): number {
  const verdict = judge(evidence(facts));
  assert.ok('overall_score' in verdict);
  return verdict.overall_score;
}

const ageMs = fc.integer({ min: 0, max: 7 * 24 * hourMs });
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  domain: fc.constantFrom('plain.test', 'gmail.com', 'web.de', 'live.se'),
  mailHost: fc.constantFrom(
    'mx.plain.test',
    'gmail-smtp-in.l.google.com',
    'x.olc.protection.outlook.com',
    'mx1.titan.email',
  ),
  implicit: fc.boolean(),
  role: fc.boolean(),
  notForBulk: fc.constant(false),
  free: fc.boolean(),
  catchAll: fc.oneof(
    fc.constantFrom<CatchAllAnswer>(
      { kind: 'no', from: 'random_probe' },
      { kind: 'no', from: 'contrast' },
      { kind: 'no', from: 'provider_table' },
      { kind: 'no', from: 'memory' },
      { kind: 'yes', from: 'random_probe' },
      { kind: 'yes', from: 'memory' },
    ),
    ageMs.map((age): CatchAllAnswer => ({ kind: 'no', from: 'memory', ageMs: age })),
    ageMs.map((age): CatchAllAnswer => ({ kind: 'yes', from: 'memory', ageMs: age })),
  ),
  posture: fc.record(
    {
      spf: fc.boolean(),
      dmarc: fc.constantFrom('absent' as const, 'watching' as const, 'enforced' as const),
      mtaSts: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
});

const ranges: Record<ScoredStatus, [number, number]> = {
  invalid: [0, 0],
  spamtrap: [0, 0],
  disabled: [5, 5],
  disposable: [10, 10],
  inbox_full: [20, 20],
  catch_all: [40, 70],
  role_account: [70, 90],
  safe: [90, 99],
};
/** From the least to the most likely to be delivered; of the first two neither outranks the other. */
const order = [
  'spamtrap',
  'disabled',
  'disposable',
  'inbox_full',
  'catch_all',
  'role_account',
  'safe',
] as const;

describe('the score', () => {
  test('keeps to the range of its status, whatever the evidence', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...(Object.keys(ranges) as ScoredStatus[])), (facts, status) => {
        const [least, most] = ranges[status];
        const found = scoreOf(status, evidence(facts));
        assert.ok(Number.isInteger(found) && found >= least && found <= most, `${status} ${found}`);
      }),
      { numRuns: 3_000 },
    );
  });

  test('never changes the order of the statuses: any of a better status is above any of a worse one', () => {
    const better = fc.tuple(fc.nat(order.length - 1), fc.nat(order.length - 1)).filter(([a, b]) => a < b);
    fc.assert(
      fc.property(better, anyFacts, anyFacts, ([worse, best], one, other) => {
        const [low, high] = [order[worse] ?? 'safe', order[best] ?? 'safe'];
        assert.ok(scoreOf(low, evidence(one)) < scoreOf(high, evidence(other)));
      }),
      { numRuns: 3_000 },
    );
  });

  test('of a role that gets no bulk mail is 20 to 40, below every catch-all', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (facts, other) => {
        const found = scoreOf('role_account', evidence({ ...facts, role: true, notForBulk: true }));
        assert.ok(found >= 20 && found <= 40, String(found));
        assert.ok(found < scoreOf('catch_all', evidence(other)));
      }),
    );
  });

  test('is 0 for what cannot be delivered, always', () => {
    assert.deepEqual([scoreStarts.invalid, scoreStarts.spamtrap], [0, 0]);
    fc.assert(fc.property(anyFacts, (facts) => scoreOf('invalid', evidence(facts)) === 0));
  });

  test("a large provider's own yes counts more than an unknown host's, however each was won", () => {
    const own = { domain: 'gmail.com', mailHost: 'gmail-smtp-in.l.google.com', free: true };
    const believed = score({ ...own, catchAll: { kind: 'no', from: 'provider_table' } });
    assert.ok(believed > score({}), 'believed unasked against asked');
    assert.ok(score(own) > believed, 'asked is more than believed');
    assert.ok(score({ mailHost: 'mx1.titan.email' }) > score({}), 'a known provider against an unknown host');
  });

  test('an answer won by contrast counts less than a plain one, an old memory less than a new one', () => {
    assert.ok(score({ catchAll: { kind: 'no', from: 'contrast' } }) < score({}));
    const ages = [0, 2, 5, 13].map((hours) =>
      score({ catchAll: { kind: 'no', from: 'memory', ageMs: hours * hourMs } }),
    );
    assert.deepEqual(
      [...ages].sort((a, b) => b - a),
      ages,
    );
    assert.equal(new Set(ages).size, 4);
    assert.equal(ages[0], score({}), 'found out just now is found out');
  });

  test('a catch-all whose domain takes care of its mail scores higher', () => {
    const yes: CatchAllAnswer = { kind: 'yes', from: 'random_probe' };
    const of = (posture: DomainPosture) => score({ catchAll: yes, posture });
    const rising = [
      of({ spf: false, dmarc: 'absent', mtaSts: false }),
      of({ spf: true, dmarc: 'absent' }),
      of({ spf: true, dmarc: 'watching' }),
      of({ spf: true, dmarc: 'enforced' }),
      of({ spf: true, dmarc: 'enforced', mtaSts: true }),
    ];
    assert.deepEqual(
      [...new Set(rising)].sort((a, b) => a - b),
      rising,
    );
    assert.equal(of({}), rising[0], 'a missing answer counts for nothing');
    assert.equal(score({ catchAll: yes, role: true }), of({}), 'a role adds nothing');
    assert.ok(score({ catchAll: yes, implicit: true }) < of({}));
  });
});
