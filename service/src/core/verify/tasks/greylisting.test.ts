import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Temper } from '@mailproof/world';
import { createApiClient } from '../../../../test/support/api-client.ts';
import { openFixture } from '../../../../test/support/open-fixture.ts';
import { until } from '../../../../test/support/until.ts';

/** A list at a host that greylists, with the settings as they are by default: the whole service, twice. */

const tenMinutes = 600_000;
const people = Array.from({ length: 100 }, (_, n) => (n % 5 === 0 ? `nobody${n}` : `person${n}`));
const living = people.filter((name) => name.startsWith('person'));

/** How often each was named to the host. */
function timesNamed(lines: string[]): Record<string, number> {
  const named: Record<string, number> = {};
  for (const line of lines) {
    const name = /^C: RCPT TO:<((?:person|nobody)\d+)@/.exec(line)?.[1];
    if (name !== undefined) named[name] = (named[name] ?? 0) + 1;
  }
  return named;
}

async function verifyTheList(defers: NonNullable<Temper['greylist']>['defers']) {
  const fixture = await openFixture({
    world: {
      zones: { 'grey.test': { mx: [[10, 'mx.grey.test']] } },
      hosts: {
        'mx.grey.test': {
          temper: { greylist: { waitMs: 240_000, defers } },
          mailboxes: Object.fromEntries(living.map((name) => [name, 'exists' as const])),
        },
      },
    },
  });
  const { world } = fixture;
  const lines = () => world.conversations.flatMap((conversation) => conversation.lines);
  try {
    const { liveKey: key } = await fixture.openAccount({ credits: 100 });
    const before = await fixture.startHere();
    const emails = people.map((name) => `${name}@grey.test`);
    const id = await createApiClient(before.url).createdTask(key, emails);
    await until(() => Object.keys(timesNamed(lines())).length === people.length);
    await before.stop();
    // Nobody runs while the time passes that the service and the host wait for.
    world.advance(tenMinutes);
    const later = await fixture.startHere({ wall: { now: () => Date.now() + tenMinutes } });
    const results = await createApiClient(later.url).results(key, id);
    await later.stop();
    return { results, named: timesNamed(lines()), violations: world.violations };
  } finally {
    await fixture.close();
  }
}

describe('100 addresses at a greylisting host, with a restart between the visits', () => {
  test('one that defers everybody: each ends as what it is after two visits', async () => {
    const { results, named, violations } = await verifyTheList('everybody');
    for (const name of people) {
      const result = results[`${name}@grey.test`];
      assert.equal(result?.status, name.startsWith('person') ? 'safe' : 'invalid', name);
      assert.equal(named[name], 2, name);
      const [first, second, ...more] = result.explanation?.visits ?? [];
      assert.equal(first?.reason, 'greylisted');
      assert.equal(first.replies[0]?.code, 450);
      assert.ok(second !== undefined && second.reason === result.explanation?.reason);
      assert.deepEqual(more, []);
      assert.ok(Date.parse(second.at) - Date.parse(first.at) >= 300_000, 'not before it was due');
    }
    assert.deepEqual(violations, []);
  });

  test('one that refuses unknown mailboxes at once: they are asked for once', async () => {
    const { results, named, violations } = await verifyTheList('known');
    for (const name of people) {
      const lives = name.startsWith('person');
      const result = results[`${name}@grey.test`];
      assert.equal(result?.status, lives ? 'safe' : 'invalid', name);
      assert.equal(named[name], lives ? 2 : 1, name);
      assert.equal(result.explanation?.visits?.length, lives ? 2 : undefined);
    }
    assert.deepEqual(violations, []);
  });
});
