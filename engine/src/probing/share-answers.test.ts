import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { StopSignal } from '../patience.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import type { Probe } from './prober.ts';
import { createAnswerSharing } from './share-answers.ts';

const reuseMs = 600_000;
const one: Asker = { urgency: 'single', account: 'one' };
const two: Asker = { urgency: 'single', account: 'two' };
const list: Asker = { urgency: 'bulk', account: 'one' };

function probeFor(email: string, options: Partial<Probe> & { mx?: string[] } = {}): Probe {
  const parsed = parseAddress(email);
  const mxRecords = (options.mx ?? ['mx.example.com']).flatMap((name) => canonicalHost(name) ?? []);
  const [name] = mxRecords;
  if (parsed.kind === 'invalid' || name === undefined) throw new Error(email);
  const first = { name, addresses: ['192.0.2.1'] };
  const route = { kind: 'takes_mail', implicit: false, mxRecords, preferred: 1, first, further: [] } as const;
  return { address: parsed.address, route: { ...route, further: [] }, asker: one, ...options };
}

const host = canonicalHost('mx.example.com') ?? assert.fail();

function answer(label: 'accepted' | 'mailbox_not_exist' | 'greylisted_or_temporary', text = 'OK') {
  const reply = { phase: 'rcpt', code: label === 'accepted' ? 250 : 550, enhanced: undefined, text } as const;
  return {
    kind: 'answered',
    host,
    replies: [reply],
    meaning: { label, reason: label },
    catchAll: { kind: 'no', from: 'random_probe' },
  } as const satisfies MailboxEvidence;
}

const resting: MailboxEvidence & { kind: 'no_answer' } = {
  kind: 'no_answer',
  reason: 'host_resting',
  meaning: { label: 'greylisted_or_temporary', reason: 'many_unknown' },
  connected: false,
  host: undefined,
  replies: [],
};

type Asked = {
  probe: Probe;
  deadline: number;
  signal: StopSignal;
  say: (evidence: MailboxEvidence) => void;
};

type Signals = { signal: AbortSignal; withdrawn: AbortSignal };

/** A prober that answers when the test says so, and by its deadline or an abort as every prober does. */
function setUp({ life = reuseMs, believed = () => true }: { life?: number; believed?: () => boolean } = {}) {
  const clock = createTestClock();
  const asked: Asked[] = [];
  const sharing = createAnswerSharing({
    clock,
    wallClock: clock.wallClock,
    reuseMs: life,
    maxEntries: 100,
    isConclusive: (_, evidence) =>
      evidence.kind === 'answered' && evidence.meaning.label !== 'greylisted_or_temporary',
    isBelieved: believed,
    prober: {
      ask: (probe, { deadline, signal, withdrawn }) =>
        new Promise((resolve, reject) => {
          asked.push({ probe, deadline, signal, say: resolve });
          withdrawn?.addEventListener('abort', () => reject(withdrawn.reason as Error));
          clock.after(deadline - clock.now(), () =>
            resolve({ ...resting, reason: 'smtp_timeout', meaning: undefined, connected: true }),
          );
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    },
  });
  const ask = (
    email: string,
    options: Parameters<typeof probeFor>[1] & { withinMs?: number } & Partial<Signals> = {},
  ): Promise<MailboxEvidence> => {
    const { withinMs = 30_000, signal = new AbortController().signal, withdrawn, ...probe } = options;
    const patience = { deadline: clock.now() + withinMs, signal, ...(withdrawn && { withdrawn }) };
    return sharing.ask(probeFor(email, probe), patience);
  };
  return { clock, asked, sharing, ask };
}

const labelOf = (evidence: MailboxEvidence): string =>
  evidence.kind === 'answered' ? evidence.meaning.label : evidence.reason;
const askedAtOf = (evidence: MailboxEvidence): number | undefined =>
  evidence.kind === 'answered' ? evidence.askedAt : undefined;

test('four calls for one mailbox at once are one question, and all get its answer', async () => {
  const { asked, ask } = setUp();
  const calls = [ask('ada@example.com'), ask('ada@example.com'), ask('ada@example.com')];
  asked[0]?.probe.onNamed?.();
  calls.push(ask('ada@example.com', { asker: two }));
  assert.equal(asked.length, 1);
  asked[0]?.say(answer('accepted'));
  assert.deepEqual((await Promise.all(calls)).map(labelOf), Array(4).fill('accepted'));
});

for (const life of [reuseMs, 0]) {
  test(`another mailbox, domain, local-part case or mail host is a question of its own (life ${life})`, () => {
    const { asked, ask } = setUp({ life });
    for (const email of ['ada@example.com', 'bob@example.com', 'ada@example.org', 'Ada@example.com'])
      void ask(email);
    assert.equal(asked.length, 4);
    void ask('ada@example.com', { mx: ['mx2.example.com'] });
    assert.equal(asked.length, 5);
    void ask('ada@example.com');
    assert.equal(asked.length, 5);
  });
}

test('a conclusive answer is given again for ten minutes, with the time at which the host gave it', async () => {
  const { clock, asked, ask } = setUp();
  const first = ask('ada@example.com');
  const askedAt = clock.wallClock.now();
  asked[0]?.probe.onNamed?.();
  clock.advance(2_000);
  asked[0]?.say(answer('mailbox_not_exist', 'ada@example.com: no such user Ada'));
  assert.equal(askedAtOf(await first), undefined);
  clock.advance(reuseMs - 2_001);
  const again = await ask('ada@example.com', { asker: two });
  assert.equal(labelOf(again), 'mailbox_not_exist');
  assert.equal(askedAtOf(again), askedAt);
  assert.equal(again.replies[0]?.text, 'ada@example.com: no such user ada');
  clock.advance(1);
  void ask('ada@example.com');
  assert.equal(asked.length, 2);
});

test('an answer that settles nothing is shared by those who wait, and never given again', async () => {
  const { asked, ask } = setUp();
  const calls = [ask('ada@example.com'), ask('ada@example.com')];
  asked[0]?.say(answer('greylisted_or_temporary'));
  assert.deepEqual((await Promise.all(calls)).map(labelOf), Array(2).fill('greylisted_or_temporary'));
  assert.equal(asked.length, 1);
  void ask('ada@example.com');
  assert.equal(asked.length, 2);
});

test('with a life of 0 nothing is given again', async () => {
  const { asked, ask } = setUp({ life: 0 });
  const first = ask('ada@example.com');
  asked[0]?.say(answer('accepted'));
  await first;
  void ask('ada@example.com');
  assert.equal(asked.length, 2);
});

test('a caller that insists asks anew, does not wait and replaces the kept answer', async () => {
  const { clock, asked, ask } = setUp();
  const first = ask('ada@example.com');
  asked[0]?.probe.onNamed?.();
  const fresh = ask('ada@example.com', { isFresh: true });
  assert.equal(asked.length, 2);
  clock.advance(1);
  asked[1]?.probe.onNamed?.();
  asked[1]?.say(answer('accepted'));
  assert.equal(labelOf(await fresh), 'accepted');
  asked[0]?.say(answer('mailbox_not_exist'));
  assert.equal(labelOf(await first), 'mailbox_not_exist');
  assert.equal(labelOf(await ask('ada@example.com')), 'accepted', 'the later answer is the one that is kept');
  assert.equal(asked.length, 2);
  void ask('ada@example.com', { isFresh: true });
  assert.equal(asked.length, 3, 'a kept answer is not given to a caller that insists');
});

test('nothing is given again once the MX records have changed; their order among equals does not matter', async () => {
  const { asked, ask } = setUp();
  const two_ = { mx: ['mx1.example.com', 'mx2.example.com', 'mx3.example.com'] };
  const first = ask('ada@example.com', two_);
  asked[0]?.say(answer('accepted'));
  await first;
  void ask('ada@example.com', { mx: ['mx1.example.com', 'mx3.example.com', 'mx2.example.com'] });
  assert.equal(asked.length, 1);
  void ask('ada@example.com', { mx: ['mx1.example.com', 'mx2.example.com'] });
  assert.equal(asked.length, 2);
});

test('the first caller leaves, and the others still get their answer', async () => {
  const { asked, ask } = setUp();
  const leaving = new AbortController();
  const first = ask('ada@example.com', { signal: leaving.signal });
  const second = ask('ada@example.com');
  leaving.abort(new Error('gone'));
  await assert.rejects(first, /gone/);
  assert.equal(asked[0]?.signal.aborted, false);
  asked[0].say(answer('accepted'));
  assert.equal(labelOf(await second), 'accepted');
});

test('a caller withdraws, and the question goes on for the others; if all do, it ends', async () => {
  const { asked, ask } = setUp();
  const [mine, theirs] = [new AbortController(), new AbortController()];
  const both = [
    ask('ada@example.com', { withdrawn: mine.signal }),
    ask('ada@example.com', { withdrawn: theirs.signal }),
  ];
  mine.abort(new Error('paused'));
  await nextRound();
  asked[0]?.say(answer('greylisted_or_temporary'));
  assert.deepEqual((await Promise.all(both)).map(labelOf), Array(2).fill('greylisted_or_temporary'));
  const again = ask('ada@example.com', { withdrawn: theirs.signal });
  theirs.abort(new Error('paused too'));
  await assert.rejects(again, /paused too/);
  await assert.rejects(ask('ada@example.com', { withdrawn: mine.signal }), /paused$/);
  assert.equal(asked.length, 2);
});

test('when all callers have left, no host is asked any more', async () => {
  const { asked, ask } = setUp();
  const leaving = new AbortController();
  const calls = [
    ask('ada@example.com', { signal: leaving.signal }),
    ask('ada@example.com', { signal: leaving.signal }),
  ];
  leaving.abort(new Error('gone'));
  await Promise.allSettled(calls);
  assert.equal(asked[0]?.signal.aborted, true);
  void ask('ada@example.com');
  assert.equal(asked.length, 2);
});

test('a caller waits no longer than its own deadline', async () => {
  const { clock, asked, ask } = setUp();
  void ask('ada@example.com', { withinMs: 60_000 });
  const second = ask('ada@example.com', { withinMs: 5_000 });
  clock.advance(5_000);
  assert.equal(labelOf(await second), 'smtp_timeout');
  assert.equal(asked[0]?.signal.aborted, false);
});

test('a caller with more time than the first asks for itself when that one is out of time', async () => {
  const { clock, asked, ask } = setUp();
  const first = ask('ada@example.com', { withinMs: 5_000 });
  const second = ask('ada@example.com', { withinMs: 60_000 });
  clock.advance(5_000);
  assert.equal(labelOf(await first), 'smtp_timeout');
  await nextRound();
  assert.equal(asked.length, 2);
  asked[1]?.say(answer('accepted'));
  assert.equal(labelOf(await second), 'accepted');
});

test('a single verification does not wait behind a list, and the list takes its answer', async () => {
  const { asked, ask } = setUp();
  const ofList = ask('ada@example.com', { asker: list, withinMs: 600_000 });
  const ofSingle = ask('ada@example.com');
  assert.equal(asked.length, 2);
  asked[1]?.probe.onNamed?.();
  assert.equal(asked[0]?.signal.aborted, true, "the list's question has left its queue");
  asked[1]?.say(answer('accepted'));
  assert.deepEqual((await Promise.all([ofList, ofSingle])).map(labelOf), ['accepted', 'accepted']);
});

test("an account does not wait behind another's limits, and does not hear of them", async () => {
  const { asked, ask } = setUp();
  const first = ask('ada@example.com');
  const second = ask('ada@example.com', { asker: two });
  assert.equal(asked.length, 2, 'no host has been named the mailbox yet');
  asked[0]?.say(resting);
  assert.equal(labelOf(await first), 'host_resting');
  asked[1]?.say(answer('accepted'));
  assert.equal(labelOf(await second), 'accepted');
});

test('a caller of another account asks for itself if the question that it waited for meets a limit', async () => {
  const { asked, ask } = setUp();
  const first = ask('ada@example.com');
  asked[0]?.probe.onNamed?.();
  const second = ask('ada@example.com', { asker: two });
  assert.equal(asked.length, 1);
  asked[0]?.say(resting);
  assert.equal(labelOf(await first), 'host_resting');
  await nextRound();
  assert.equal(asked.length, 2);
  asked[1]?.say(answer('accepted'));
  assert.equal(labelOf(await second), 'accepted');
});

test('answers of a prober that is not believed any more are forgotten, and not kept', async () => {
  let isBelieved = true;
  const { asked, sharing, ask } = setUp({ believed: () => isBelieved });
  const give = async (index: number): Promise<void> => {
    const call = ask('ada@example.com');
    asked[index]?.say({ ...answer('mailbox_not_exist'), askedBy: 'office' });
    await call;
  };
  await give(0);
  assert.deepEqual(sharing.probers(), ['office']);
  sharing.forgetFrom('office');
  await give(1);
  assert.equal(asked.length, 2, 'it was put in quarantine, and let out');
  isBelieved = false;
  await give(2);
  isBelieved = true;
  await give(3);
  assert.equal(asked.length, 4, 'an answer that came while it was in quarantine is not kept');
});

test('a prober that fails fails those who wait, and the next caller asks anew', async () => {
  const { clock } = setUp();
  let calls = 0;
  const sharing = createAnswerSharing({
    clock,
    wallClock: clock.wallClock,
    reuseMs,
    maxEntries: 100,
    isConclusive: () => true,
    isBelieved: () => true,
    prober: { ask: () => ((calls += 1), Promise.reject(new Error('a defect'))) },
  });
  const patience = { deadline: 1_000, signal: new AbortController().signal };
  await assert.rejects(sharing.ask(probeFor('ada@example.com'), patience), /a defect/);
  await assert.rejects(sharing.ask(probeFor('ada@example.com'), patience), /a defect/);
  assert.equal(calls, 2);
});
