import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  faultHost,
  faults,
  furtherFaults,
  injectedHost,
  injections,
  phases,
  tlsFaultHost,
  tlsFaults,
  type Fault,
  type HostDescription,
  type Phase,
  type WorldDescription,
} from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import type { EngineSettings } from '../../src/create-engine.ts';
import { classifyReply } from '../../src/replies/classifier/classify-reply.ts';
import type { Outcome } from '../../src/verify.ts';
import { measureWait } from '../support/measure-wait.ts';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

/**
 * Hostile mail hosts: every fault in every phase, every TLS fault, every injected reply. Times are cut so that a
 * silent host costs a second; the proof is that each wait has its end.
 */
const waits = ['connectMs', 'bannerMs', 'ehloMs', 'tlsMs', 'mailMs', 'rcptMs', 'rsetMs', 'quitMs'] as const;
const graceMs = 250;
/** Enough to be quick, few enough that a busy machine keeps the times. */
const sideBySide = 16;

/** A host that drips sends a byte in each wait, so that its reply takes many of them. */
type Case = { domain: string; host: (waitMs: number) => HostDescription };

function describeWorld(cases: Case[], waitMs: number): WorldDescription {
  return {
    zones: Object.fromEntries(cases.map(({ domain }) => [domain, { mx: [[10, `mx.${domain}`]] }])),
    hosts: Object.fromEntries(cases.map(({ domain, host }) => [`mx.${domain}`, host(waitMs)])),
  };
}

function suite(cases: Case[], settings: Partial<EngineSettings> = {}) {
  const running: { it?: EngineInWorld } = {};
  const outcomes = new Map<string, Outcome>();
  before(async () => {
    const waitMs = await measureWait();
    const limits = Object.fromEntries(waits.map((wait) => [wait, waitMs]));
    // The most that the slowest conversation may take: every phase once, in each of two conversations.
    const budgetMs = 2 * waits.length * waitMs;
    const started = await startEngine(describeWorld(cases, waitMs), { limits, ...settings });
    running.it = started;
    await forEachOf(cases, async ({ domain }) => {
      const startedAt = systemClock.now();
      outcomes.set(domain, await started.verify(`alive@${domain}`));
      assert.ok(systemClock.now() - startedAt <= budgetMs + graceMs, `${domain} took too long`);
    });
  });
  after(() => running.it?.stop());
  return {
    outcomeAt: (domain: string): { status: string; reason: string } => {
      const outcome = outcomes.get(domain);
      if (outcome?.kind !== 'verdict') throw new Error(`${domain}: ${outcome?.kind ?? 'no outcome'}`);
      return { status: outcome.verdict.status, reason: outcome.explanation.reason };
    },
    violations: () => running.it?.world.violations ?? [],
  };
}

async function forEachOf<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: sideBySide }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

const slug = (text: string): string => text.replaceAll('_', '-');

type Expected = { status: string; reason: string };

/** The reason of a fault before the mailbox has been answered for. */
const reasonOfFault = {
  fin: 'connection_lost',
  rst: 'connection_lost',
  silence: 'smtp_timeout',
  drip: 'smtp_timeout',
  reply_421: readAs(421, '4.3.2', 'Service not available'),
  reply_4xx: readAs(451, '4.3.0', 'Temporary server error, try again later'),
  reply_5xx: 'host_refused',
  garbage: 'protocol_error',
  endless_line: 'protocol_error',
  endless_reply: 'protocol_error',
  early_reply: 'protocol_error',
  control_bytes: 'protocol_error',
} as const;

function readAs(code: number, enhanced: string, text: string): string {
  return classifyReply({ code, enhanced, text, provider: undefined }).reason;
}

/** Returns the expected result of each cell of the matrix: a fault never becomes a statement about the mailbox. */
function expected(phase: Phase, fault: keyof typeof reasonOfFault): Expected {
  const plain = { status: 'unknown', reason: reasonOfFault[fault] };
  if (plain.reason === 'protocol_error' && !(phase === 'quit' && fault === 'early_reply')) return plain;
  switch (phase) {
    case 'rcpt':
      return fault === 'reply_5xx'
        ? { status: 'unknown', reason: readAs(554, '5.3.5', 'System incorrectly configured') }
        : plain;
    // The mailbox was accepted, but it is not known whether a made-up one is too.
    case 'random_rcpt':
      return { status: 'unknown', reason: 'catch_all_undetermined' };
    // Every answer was in by then; only a reply that does not belong to QUIT casts doubt on them.
    case 'quit':
      return fault === 'reply_4xx' || fault === 'reply_5xx'
        ? { status: 'unknown', reason: 'protocol_error' }
        : { status: 'safe', reason: 'mailbox_accepted' };
    case 'connect':
    case 'banner':
    case 'ehlo':
    case 'starttls':
    case 'mail':
      return plain;
  }
}

describe('8 phases × 12 faults: no fault becomes a statement about the mailbox', () => {
  const cells = phases.flatMap((phase) => faults.map((fault) => ({ phase, fault })));
  const domainOf = (phase: Phase, fault: Fault): string => `${slug(phase)}--${slug(fault)}.test`;
  const cases = cells.map(({ phase, fault }) => ({
    domain: domainOf(phase, fault),
    host: (waitMs: number) => faultHost(phase, fault, waitMs),
  }));
  const { outcomeAt, violations } = suite(cases);

  for (const { phase, fault } of cells) {
    test(`${phase}: ${fault}`, () => {
      assert.deepEqual(outcomeAt(domainOf(phase, fault)), expected(phase, fault));
    });
  }
  test('and the client broke no rule of the protocol meanwhile', () => assert.deepEqual(violations(), []));
});

describe('replies that are odd but allowed are read, and odd ones that are not are unknown', () => {
  const readable: readonly Fault[] = ['bare_lf', 'code_alone', 'split_bytes'];
  const cases = furtherFaults.map((fault) => ({
    domain: `${slug(fault)}.test`,
    host: () => faultHost('rcpt', fault),
  }));
  const { outcomeAt } = suite(cases);
  for (const fault of furtherFaults) {
    const status = readable.includes(fault) ? 'safe' : 'unknown';
    test(`${fault} at RCPT: ${status}`, () => assert.equal(outcomeAt(`${slug(fault)}.test`).status, status));
  }
});

describe('12 TLS faults at a host that demands TLS: unknown, and never a hang', () => {
  const cases = tlsFaults.map((fault) => ({
    domain: `${slug(fault)}.test`,
    host: () => tlsFaultHost(fault),
  }));
  const { outcomeAt, violations } = suite(cases);
  for (const fault of tlsFaults) {
    test(fault, () => assert.equal(outcomeAt(`${slug(fault)}.test`).status, 'unknown'));
  }
  test('and the client broke no rule of the protocol meanwhile', () => assert.deepEqual(violations(), []));
});

describe('12 TLS faults where TLS is only offered and we always want it: asked again in the clear', () => {
  const cases = tlsFaults.map((fault) => ({
    domain: `${slug(fault)}.test`,
    host: () => tlsFaultHost(fault, 'offered'),
  }));
  const { outcomeAt, violations } = suite(cases, { starttls: 'always' });
  /** Here nothing is wrong with the handshake: the host falls silent or speaks out of turn after it. */
  const afterHandshake = ['stall_after_handshake', 'injected_reply'];
  for (const fault of tlsFaults) {
    const status = afterHandshake.includes(fault) ? 'unknown' : 'safe';
    test(`${fault}: ${status}`, () => assert.equal(outcomeAt(`${slug(fault)}.test`).status, status));
  }
  test('and the client broke no rule of the protocol meanwhile', () => assert.deepEqual(violations(), []));
});

for (const over of ['plaintext', 'tls'] as const) {
  describe(`20 placements of an injected reply over ${over}: no verdict comes from it`, () => {
    const cases = injections.map((injection, index) => ({
      domain: `inject-${index}.test`,
      host: () => injectedHost(injection, over),
    }));
    assert.equal(injections.length, 20);
    const { outcomeAt } = suite(cases);
    for (const [index, { phase, place, reply }] of injections.entries()) {
      test(`${reply} ${place} the reply at ${phase}`, () => {
        assert.equal(outcomeAt(`inject-${index}.test`).status, 'unknown');
      });
    }
  });
}
