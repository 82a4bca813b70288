import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  standardCast,
  standardLists,
  standardWorld,
  type CastMember,
  type WorldDescription,
} from '@mailproof/world';
import type { Outcome } from '../../src/verify.ts';
import { measureWait } from '../support/measure-wait.ts';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** Every member of the standard world's cast, each at a mail host of another temper, gets the verdict it must get. */

/** Silent hosts are given up on sooner than in earnest, so that the whole cast takes seconds. */
const impatient = (waitMs: number) => ({
  connectMs: 2 * waitMs,
  bannerMs: 2 * waitMs,
  ehloMs: 2 * waitMs,
  tlsMs: 2 * waitMs,
  mailMs: 2 * waitMs,
  rcptMs: 3 * waitMs,
  quitMs: waitMs,
  dnsTryMs: 0.3 * waitMs,
  dnsLookupMs: 1.2 * waitMs,
  dnsPhaseMs: 3 * waitMs,
  smtpPhaseMs: 25 * waitMs,
});

/**
 * Slow hosts stay slower than our patience, on a busy machine too. With a wait of a second it is the standard world.
 */
function worldFor(waitMs: number): WorldDescription {
  const { zones, hosts } = standardWorld();
  const slow = { tarpit: { replyDelayMs: 15 * waitMs }, drip: { dripEveryMs: waitMs } };
  for (const [name, temper] of Object.entries(slow)) {
    const host = hosts[`mx.${name}.test`];
    assert.deepEqual(Object.keys(host?.temper ?? {}), Object.keys(temper));
    hosts[`mx.${name}.test`] = { ...host, temper };
  }
  return { zones, hosts };
}

describe('the standard cast', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mailproof-cast-'));
  const outcomes = new Map<string, Outcome>();
  let running: EngineInWorld | undefined;

  before(async () => {
    writeFileSync(join(directory, 'traps'), standardLists.spamTraps.join('\n'));
    writeFileSync(join(directory, 'disposable'), standardLists.disposableDomains.join('\n'));
    const listFiles = { spamtraps: join(directory, 'traps'), disposable: join(directory, 'disposable') };
    const waitMs = await measureWait();
    const limits = impatient(waitMs);
    running = await startEngine(worldFor(waitMs), { limits, listFiles });
    const queue = standardCast.values();
    const { verify } = running;
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const { address } of queue)
          outcomes.set(address, await verify(address, { withinMs: 40 * waitMs }));
      }),
    );
  });
  after(async () => {
    rmSync(directory, { recursive: true });
    await running?.stop();
  });

  for (const member of standardCast) {
    test(`${member.address}: ${told(member.expect)} (${member.story})`, () => {
      assert.deepEqual(seen(outcomes.get(member.address), member), member.expect);
    });
  }

  test('and no host was asked anything the protocol does not allow', () => {
    assert.deepEqual(running?.world.violations, []);
  });
});

function told(expect: CastMember['expect']): string {
  return 'status' in expect ? expect.status : expect.error;
}

function seen(outcome: Outcome | undefined, { expect }: CastMember): unknown {
  if (outcome === undefined || outcome.kind === 'invalid_address') return outcome;
  const reason = expect.reason === undefined ? {} : { reason: outcome.explanation.reason };
  if (outcome.kind === 'verdict') return { status: outcome.verdict.status, ...reason };
  return { error: `verification_${outcome.kind}`, ...reason };
}
