import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CanonicalHost } from '../syntax/address.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { planGroup, type Standing, type Step } from './plan-group.ts';
import type { PendingProbe } from './pending-probe.ts';

function probeFor(email: string): PendingProbe {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(email);
  return { address: parsed.address } as PendingProbe;
}
const fresh: Standing = {
  recipientsLeft: 10,
  refusalsLeft: 5,
  refusalsTaken: Infinity,
  open: undefined,
  recipientsInTransaction: 0,
  recipientsPerTransaction: Infinity,
  owedRandomProbes: [],
};

function plan(emails: string[], standing: Partial<Standing> = {}, domains: string[] = []) {
  const needed = new Set<string>(domains);
  const pending = emails.map(probeFor);
  const { steps } = planGroup(
    pending,
    { ...fresh, owedRandomProbes: [], ...standing },
    {
      mailFrom: 'verify@example.com',
      randomLocalPart: () => 'made-up',
      needsRandomProbe: (domain: CanonicalHost) => needed.has(domain),
      claimRandomProbe: (domain: CanonicalHost) => void needed.delete(domain),
    },
  );
  return { said: steps.map(say), left: pending.length };
}
function say({ command }: Step): string {
  return command.verb === 'RCPT' ? `RCPT ${command.localPart}@${command.host}` : command.verb;
}

describe('a group of commands', () => {
  test('names the random probe right behind the first of its domain, once', () => {
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
    const open = { open: 'one.example', recipientsInTransaction: 2 };
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
  test('asks first for a random probe that was put off', () => {
    const owed = {
      owedRandomProbes: [probeFor('a@one.example')],
      open: 'one.example',
      recipientsInTransaction: 1,
      recipientsPerTransaction: 1,
    };
    assert.deepEqual(plan([], owed).said, ['RSET', 'MAIL', 'RCPT made-up@one.example']);
  });
  test('leaves a target for the next conversation where there is no room for its random probe', () => {
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
