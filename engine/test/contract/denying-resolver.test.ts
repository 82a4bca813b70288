import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import type { Engine } from '../../src/create-engine.ts';
import type { Outcome } from '../../src/verify.ts';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** A resolver that denies existing names (split DNS, a VPN, a captive portal) condemns itself, never an address. */

const description: WorldDescription = {
  zones: {
    'plain.test': { mx: [[10, 'mx.plain.test']] },
    'gmx.net': { cname: 'nowhere.test' },
    'web.de': { a: ['127.0.0.1'] },
    'aol.com': { mx: [[0, '.']] },
    'mail.com': { txt: ['nothing but text'] },
    'yahoo.com': { mx: [[10, 'missing.test']] },
  },
  hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
};

const probes = ['gmail.com', 'outlook.com', 'icloud.com'];

async function inWorld(
  work: (running: EngineInWorld & { lines: string[] }) => Promise<void>,
  { resolverProbes = probes, denies = false }: { resolverProbes?: string[]; denies?: boolean } = {},
): Promise<void> {
  const lines: string[] = [];
  const running = await startEngine(
    description,
    { resolverProbes, onProblem: (line) => void lines.push(line), limits: { resolverProbeAgainMs: 50 } },
    { denyAllNames: denies },
  );
  try {
    await work({ ...running, lines });
  } finally {
    await running.stop();
  }
}

function reasonOf(outcome: Outcome): string {
  return outcome.kind === 'invalid_address' ? outcome.kind : `${outcome.kind}: ${outcome.explanation.reason}`;
}

/** Waits for several rounds of asking for names that must exist, unless a round ends the doubt. */
async function untilAskedAgain(engine: Engine): Promise<void> {
  const { dnsQueries } = engine.counts();
  const isInDoubt = () => engine.health().resolver.kind === 'denies';
  while (isInDoubt() && engine.counts().dnsQueries < dnsQueries + 30) await pause(10);
}

const unavailable = 'unavailable: dns_denies_known_names';

describe('a resolver that denies what exists', () => {
  test('no domain is called dead on its word, from the first verification on', () =>
    inWorld(
      async ({ verify, engine, lines }) => {
        assert.equal(reasonOf(await verify('x@plain.test')), unavailable);
        assert.equal(reasonOf(await verify('x@nxdomain.test')), unavailable);
        assert.equal(engine.health().resolver.kind, 'denies');
        assert.equal(lines.length, 1);
      },
      { denies: true },
    ));

  test('once it tells the truth, the dead are dead and the living live again', () =>
    inWorld(
      async ({ verify, world, engine }) => {
        assert.equal(reasonOf(await verify('alive@plain.test')), unavailable);
        world.denyAllNames(false);
        while (engine.health().resolver.kind === 'denies') await pause(10);
        assert.equal(reasonOf(await verify('alive@plain.test')), 'verdict: mailbox_accepted');
        assert.equal(reasonOf(await verify('x@nxdomain.test')), 'verdict: no_such_domain');
      },
      { denies: true },
    ));

  const denials = {
    'gmx.net': 'no such name',
    'web.de': 'no mail hosts, only an address',
    'aol.com': 'a null MX',
    'mail.com': 'no mail host and no address',
    'yahoo.com': 'a mail host that does not exist',
  };
  for (const [domain, denial] of Object.entries(denials)) {
    test(`${denial} for a large provider condemns the resolver`, () =>
      inWorld(async ({ verify, engine, lines }) => {
        assert.equal(reasonOf(await verify('x@nxdomain.test')), 'verdict: no_such_domain');
        assert.equal(reasonOf(await verify(`x@${domain}`)), unavailable);
        assert.equal(engine.health().resolver.kind, 'denies');
        await untilAskedAgain(engine);
        assert.equal(reasonOf(await verify('x@another.test')), unavailable);
        assert.equal(reasonOf(await verify('x@nxdomain.test')), 'verdict: no_such_domain', 'it was proved');
        assert.deepEqual(
          lines.map((line) => line.includes(`(${domain})`)),
          [true],
        );
      }));
  }

  test('in a closed network a provider that is denied has no verdict, and others are judged as ever', () =>
    inWorld(
      async ({ verify, engine }) => {
        assert.equal(reasonOf(await verify('x@aol.com')), unavailable);
        assert.equal(engine.health().resolver.kind, 'in_order');
        assert.equal(reasonOf(await verify('x@nxdomain.test')), 'verdict: no_such_domain');
      },
      { resolverProbes: [] },
    ));
});
