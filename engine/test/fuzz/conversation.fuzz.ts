import assert from 'node:assert/strict';
import { fuzzHost, type Violation, type WorldDescription } from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import { watchLateness } from '../support/machine.ts';
import { startEngine } from '../support/start-engine.ts';

/**
 * Conversations with a host whose every reply is replaced or mangled, reproducibly from a seed. They end without a
 * crash or a hang, without a breach of the protocol by us, and without a forbidden connection.
 */
const quick = {
  connectMs: 600,
  bannerMs: 600,
  ehloMs: 600,
  tlsMs: 600,
  mailMs: 600,
  rcptMs: 600,
  rsetMs: 600,
  quitMs: 600,
};
const withinMs = 3_000;
const graceMs = 250;
const sideBySide = 32;

/**
 * One host for each of the four kinds (with and without PIPELINING, with TLS); each visit gets the next of its
 * replies.
 */
const kinds = [0, 1, 2, 3] as const;

/**
 * Whether a breach is ours. A host that says 220 to STARTTLS by accident takes the handshake for commands, and one
 * that answers at random cannot tell which side was out of step at the end. All its other findings are ours.
 */
function isOurs({ kind, host }: Violation): boolean {
  return kind !== 'ended_without_quit' && host !== 'mx.kind2.test';
}

function fuzzWorld(seed: number): WorldDescription {
  return {
    zones: Object.fromEntries(
      kinds.map((kind) => [`kind${kind}.test`, { mx: [[10, `mx.kind${kind}.test`]] }]),
    ),
    hosts: Object.fromEntries(kinds.map((kind) => [`mx.kind${kind}.test`, fuzzHost(seed * 4 + kind)])),
  };
}

export async function fuzzConversations({
  runs,
  seed,
}: {
  runs: number;
  seed: number;
}): Promise<{ statuses: Record<string, number>; slowestMs: number }> {
  const running = await startEngine(fuzzWorld(seed), { limits: quick });
  const statuses: Record<string, number> = {};
  let slowestMs = 0;
  const lateness = watchLateness();
  const queue = Array.from({ length: runs }, (_, index) => index).values();
  try {
    await Promise.all(
      Array.from({ length: sideBySide }, async () => {
        for (const index of queue) {
          const startedAt = systemClock.now();
          const outcome = await running.verify(`alive@kind${index % kinds.length}.test`, { withinMs });
          slowestMs = Math.max(slowestMs, systemClock.now() - startedAt);
          const name = outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
          statuses[name] = (statuses[name] ?? 0) + 1;
        }
      }),
    );
    assert.ok(
      slowestMs <= withinMs + graceMs + lateness.worstMs(),
      `a conversation took ${Math.round(slowestMs)} ms`,
    );
    assert.deepEqual(running.world.violations.filter(isOurs), []);
    assert.equal(running.engine.counts().forbidden, 0);
  } finally {
    await running.stop();
  }
  return { statuses, slowestMs };
}
