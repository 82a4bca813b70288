import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { rawClient } from './raw-client.ts';
import type { RawClient } from './raw-client.ts';
import { startWorld } from './start-world.ts';
import type { World } from './start-world.ts';
import type { HostDescription } from './description.ts';

let world: World;
afterEach(() => world.stop());

async function meet(host: HostDescription): Promise<RawClient> {
  world = await startWorld({ zones: {}, hosts: { 'mx.test': host } });
  return rawClient(world.smtpPort, world.hosts['mx.test']!.address);
}

const people = { alive: 'exists', full: 'full', gone: 'disabled' } as const;
const envelope = (...recipients: string[]) =>
  ['MAIL FROM:<verify@probe.test>', ...recipients.map((who) => `RCPT TO:<${who}@plain.test>`), ''].join(
    '\r\n',
  );

describe('a mail host', () => {
  test('that knows its mailboxes tells the living from the rest, in four round trips', async () => {
    const client = await meet({ mailboxes: people });
    assert.match((await client.replies(1))[0]!, /^220 mx\.test ESMTP$/);
    client.send('EHLO probe.test\r\n');
    assert.match((await client.replies(1))[0]!, /250.PIPELINING/);
    client.send(envelope('alive', 'nobody', 'full', 'gone'));
    const codes = (await client.replies(5)).map((reply) => reply.slice(0, 9));
    assert.deepEqual(codes, ['250 2.1.0', '250 2.1.5', '550 5.1.1', '552 5.2.2', '550 5.2.1']);
    client.send('QUIT\r\n');
    assert.match(await client.closed(), /^221 /);
    assert.equal(world.conversations[0]!.roundTrips, 4);
    assert.deepEqual(world.violations, []);
    assert.deepEqual(world.counts.smtp.commands, { EHLO: 1, MAIL: 1, RCPT: 4, QUIT: 1 });
  });
});
