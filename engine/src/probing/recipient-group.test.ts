import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Command } from '../smtp/command.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import type { PendingProbe } from './pending-probe.ts';
import {
  namesOwn,
  planGroup,
  readGroup,
  type RecipientQuestion,
  type SessionBudget,
} from './recipient-group.ts';

function probeFor(email: string): PendingProbe {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(email);
  return { address: parsed.address } as PendingProbe;
}
const fresh: SessionBudget = {
  recipientsLeft: 10,
  refusalsLeft: 5,
  refusalsBeforeHangUp: Infinity,
  refusals: 0,
  transaction: undefined,
  recipientsInTransaction: 0,
  recipientsPerTransaction: Infinity,
  recipientsPerGroup: Infinity,
  madeUpLast: false,
};

type Setting = Partial<SessionBudget> & { owed?: RecipientQuestion[]; closing?: RecipientQuestion[] };

function planFor(emails: string[], setting: Setting = {}, domains: string[] = []) {
  const { owed = [], closing = [], ...budget } = setting;
  return planGroup(
    { pending: emails.map(probeFor), owed, closing },
    { ...fresh, ...budget },
    {
      mailFrom: 'verify@example.com',
      madeUpLocalPart: () => 'made-up',
      needsMadeUp: (domain: CanonicalHost) => domains.includes(domain),
    },
  );
}

function plan(emails: string[], setting: Setting = {}, domains: string[] = []) {
  const { steps, pending } = planFor(emails, setting, domains);
  return { said: steps.map(({ command }) => say(command)), left: pending.length };
}
function say(command: Command): string {
  return command.verb === 'RCPT' ? `RCPT ${command.localPart}@${command.host}` : command.verb;
}

describe('a group of commands', () => {
  test('names the made-up recipient right behind the first of its domain, once', () => {
    assert.deepEqual(plan(['a@one.example', 'b@one.example'], {}, ['one.example']).said, [
      'MAIL',
      'RCPT a@one.example',
      'RCPT made-up@one.example',
      'RCPT b@one.example',
    ]);
  });
  test('gathers a domain in one transaction, and begins the next after RSET', () => {
    assert.deepEqual(plan(['a@one.example', 'x@two.example', 'b@one.example']).said, [
      'MAIL',
      'RCPT a@one.example',
      'RCPT b@one.example',
      'RSET',
      'MAIL',
      'RCPT x@two.example',
    ]);
  });
  test('goes on in the transaction that is open', () => {
    const open = { transaction: 'one.example', recipientsInTransaction: 2 };
    assert.deepEqual(plan(['b@one.example'], open).said, ['RCPT b@one.example']);
  });
  test('opens a transaction for each where the host takes one recipient', () => {
    const one = { recipientsPerTransaction: 1 };
    assert.deepEqual(plan(['a@one.example', 'b@one.example'], one, ['one.example']).said, [
      'MAIL',
      'RCPT a@one.example',
      'RSET',
      'MAIL',
      'RCPT made-up@one.example',
      'RSET',
      'MAIL',
      'RCPT b@one.example',
    ]);
  });
  test('keeps addresses that need SMTPUTF8 apart', () => {
    assert.deepEqual(plan(['a@one.example', 'ü@one.example']).said, [
      'MAIL',
      'RCPT a@one.example',
      'RSET',
      'MAIL',
      'RCPT ü@one.example',
    ]);
  });
  test('asks first for a made-up recipient that was put off', () => {
    const owed = {
      owed: [{ kind: 'made_up', probe: probeFor('a@one.example') } as const],
      transaction: 'one.example',
      recipientsInTransaction: 1,
      recipientsPerTransaction: 1,
    };
    assert.deepEqual(plan([], owed).said, ['RSET', 'MAIL', 'RCPT made-up@one.example']);
  });
  test('if made-up recipients come last, names the mailboxes alone, and keeps a place for each domain', () => {
    const last = { madeUpLast: true, refusalsLeft: 3 };
    const { said, left } = plan(['a@one.example', 'b@one.example', 'c@one.example'], last, ['one.example']);
    assert.deepEqual([said, left], [['MAIL', 'RCPT a@one.example', 'RCPT b@one.example'], 1]);
  });
  test('names no more at once than the host is known to stand', () => {
    const { said, left } = plan(['a@one.example', 'b@one.example'], { recipientsPerGroup: 1 });
    assert.deepEqual([said, left], [['MAIL', 'RCPT a@one.example'], 1]);
  });
  test('asks the closing questions when no probe waits, and has kept the room for them', () => {
    const probe = probeFor('a@one.example');
    const closing: RecipientQuestion[] = [
      { kind: 'made_up', probe },
      { kind: 'target', probe },
    ];
    const open = { closing, refusalsLeft: 3, transaction: 'one.example', recipientsInTransaction: 2 };
    assert.deepEqual(plan(['b@one.example', 'c@one.example'], open).said, ['RCPT b@one.example']);
    assert.deepEqual(plan([], open).said, ['RCPT made-up@one.example', 'RCPT a@one.example']);
  });
  test('leaves a target for the next conversation where there is no room for its made-up recipient', () => {
    const { said, left } = plan(['a@one.example', 'x@two.example'], { refusalsLeft: 2 }, ['two.example']);
    assert.deepEqual([said, left], [['MAIL', 'RCPT a@one.example'], 1]);
  });
});

test('no group names more recipients than may be named or refused, whatever waits', () => {
  const emails = fc.array(fc.tuple(fc.nat(60), fc.constantFrom('one', 'two', 'three')), { maxLength: 40 });
  fc.assert(
    fc.property(
      emails,
      fc.integer({ min: 2, max: 10 }),
      fc.integer({ min: 2, max: 5 }),
      (people, recipientsLeft, refusalsLeft) => {
        const { said } = plan(
          people.map(([n, domain]) => `p${n}@${domain}.example`),
          { recipientsLeft, refusalsLeft },
          ['one.example', 'two.example'],
        );
        const named = said.filter((line) => line.startsWith('RCPT')).length;
        assert.ok(named <= Math.min(recipientsLeft, refusalsLeft));
      },
    ),
  );
});

const reply = (code: number, text = ''): Reply => ({ code, enhanced: undefined, lines: [text] });

describe('the replies to a group', () => {
  const read = (codes: (Reply | undefined)[], budget: Partial<SessionBudget> = {}) => {
    const { events, budget: after } = readGroup(
      planFor(['a@one.example', 'b@one.example'], budget, ['one.example']),
      codes,
    );
    return { told: events.map(({ kind, question }) => `${question.kind} ${kind}`), after };
  };

  test('tell the recipient that each is for, and its cost', () => {
    const { told, after } = read([reply(250), reply(250), reply(550), reply(550)]);
    assert.deepEqual(told, ['target answered', 'made_up answered', 'target answered']);
    assert.deepEqual([after.recipientsLeft, after.refusalsLeft], [7, 3]);
  });
  test('that put a second recipient off allow one a transaction from then on', () => {
    const { told, after } = read([reply(250), reply(250), reply(452, 'too many recipients'), reply(250)]);
    assert.deepEqual(told, ['target answered', 'made_up put_off', 'target answered']);
    assert.equal(after.recipientsPerTransaction, 1);
  });
  test('that say the same of the first recipient are an answer', () => {
    const { told } = read([reply(250), reply(452, 'too many recipients'), reply(550), reply(550)]);
    assert.equal(told[0], 'target answered');
  });
  test('that refuse MAIL turn every recipient away and cost none', () => {
    const { told, after } = read([reply(550), reply(503), reply(503), reply(503)]);
    assert.deepEqual(told, ['target turned_away', 'made_up turned_away', 'target turned_away']);
    assert.deepEqual([after.recipientsLeft, after.refusalsLeft], [10, 5]);
  });
  test('that break off leave the others unanswered, and 421 turns away', () => {
    const { told } = read([reply(250), reply(250), reply(421)]);
    assert.deepEqual(told, ['target answered', 'made_up turned_away', 'target unanswered']);
  });
});

test('planning changes neither who waits nor the budget', () => {
  const pending = [probeFor('a@one.example'), probeFor('b@two.example')];
  const waiting = Object.freeze({
    pending: Object.freeze(pending),
    owed: Object.freeze<RecipientQuestion[]>([]),
    closing: Object.freeze<RecipientQuestion[]>([]),
  });
  const parts = { mailFrom: '', madeUpLocalPart: () => 'made-up', needsMadeUp: () => true };
  const { budget, pending: left } = planGroup(waiting, Object.freeze({ ...fresh }), parts);
  assert.deepEqual([pending.length, left.length], [2, 0]);
  assert.deepEqual(budget, { ...fresh, transaction: 'two.example', recipientsInTransaction: 2 });
});

test('a reply names an address only as a whole', () => {
  const names = (text: string): boolean => namesOwn({ lines: [text] }, 'ada@one.example');
  for (const text of ['<Ada@one.example>: unknown', 'no ada@one.example.', "'ada@one.example' is unknown"])
    assert.ok(names(text), text);
  for (const text of ['<x.ada@one.example>', '<ada@one.example.test>', '<ada+b@one.example>', 'User unknown'])
    assert.ok(!names(text), text);
});
