import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  createResolver,
  defaultLimits,
  parseCidr,
  parseDnsServer,
  systemClock,
  type Cidr,
} from '@mailproof/engine';
import { startWorld, type World } from '@mailproof/world';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { startReceiver, type Receiver } from '../../../test/support/webhooks/start-receiver.ts';
import { until } from '../../../test/support/until.ts';
import type { OutgoingParts } from '../../core/http/outgoing/open-connection.ts';
import { createSendRequest, type SendOutcome } from './send-request.ts';

const certificates = join(import.meta.dirname, '../../../../world/src/certificates');
const cert = readFileSync(join(certificates, 'test-only-certificate.pem'), 'utf8');
const key = readFileSync(join(certificates, 'test-only-key.pem'), 'utf8');
const never = new AbortController().signal;

/** The receiver stands at one address of loopback, which is opened; the rest of loopback is forbidden as always. */
const receiverAddress = '127.0.0.5';
const allow = [parseCidr(`${receiverAddress}/32`)].filter((block): block is Cidr => block !== undefined);

describe('sending a message', () => {
  let world: World;
  let receiver: Receiver;
  let resolver: ReturnType<typeof createResolver>;
  before(async () => {
    world = await startWorld({
      zones: {
        'hooks.test': { a: [receiverAddress] },
        'rebinds.test': { aInTurn: [[receiverAddress], ['127.0.0.1']], ttl: 0 },
        'inside.test': { a: ['127.0.0.1', '10.0.0.1', '169.254.169.254'], aaaa: ['::1'] },
        'second.test': { a: ['127.0.0.1', receiverAddress] },
        // The one name that the certificate is for.
        'mail.test': { a: [receiverAddress] },
        'broken.test': { behaviour: 'servfail' },
        'public.test': { a: ['192.88.98.1'] },
      },
      hosts: {},
    });
    const server = parseDnsServer(world.dnsServer);
    assert.ok(server);
    resolver = createResolver({ servers: [server], clock: systemClock, limits: defaultLimits });
  });
  after(async () => {
    resolver.close();
    await world.stop();
  });
  beforeEach(async () => {
    receiver = await startReceiver({ address: receiverAddress });
  });
  afterEach(() => receiver.stop());

  const sender = (parts: Partial<OutgoingParts> = {}) =>
    createSendRequest({
      resolver: resolver.uncached,
      clock: systemClock,
      egressAllow: allow,
      ownAddresses: () => [],
      ...parts,
    });
  const message = (host: string, { scheme = 'http', port = receiver.port } = {}) => ({
    url: `${scheme}://${host}:${port}/in?from=mailproof`,
    headers: { 'webhook-id': 'msg_1' },
    body: '{"type":"webhook.test"}',
  });

  test('posts the body as it is and says what was answered', async () => {
    const outcome = await sender()(message('hooks.test'), never);
    assert.deepEqual(outcome, { kind: 'answered', status: 204, retryAfterMs: 0, response: '' });
    const [received] = receiver.messages;
    assert.equal(received?.body, '{"type":"webhook.test"}');
    assert.equal(received.headers['host'], `hooks.test:${receiver.port}`);
    assert.equal(received.headers['content-type'], 'application/json');
    assert.equal(received.headers['webhook-id'], 'msg_1');
  });

  test('a redirect is an answer and is not followed', async () => {
    receiver.behave('redirects');
    const outcome = await sender()(message('hooks.test'), never);
    assert.equal(outcome.kind === 'answered' && outcome.status, 302);
    assert.equal(receiver.messages.length, 1);
  });

  test('the wait that a receiver asks for is read in seconds', async () => {
    receiver.behave('busy');
    const outcome = await sender()(message('hooks.test'), never);
    assert.equal(outcome.kind === 'answered' && outcome.retryAfterMs, 7_200_000);
  });

  test('at most 1 kB of an answer is read, and what cannot be stored is not kept', async () => {
    receiver.behave('babbles');
    const long = await sender()(message('hooks.test'), never);
    assert.equal(long.kind === 'answered' && long.response, 'x'.repeat(1_000));
    receiver.behave('fails');
    const odd = await sender()(message('hooks.test'), never);
    assert.equal(odd.kind === 'answered' && odd.response, 'no\u{fffd} such luck');
  });

  test('a receiver that closes the connection without an answer has failed', async () => {
    receiver.behave('closes');
    assert.deepEqual(await sender()(message('hooks.test'), never), { kind: 'failed', why: 'closed_early' });
  });

  test('a receiver that says nothing is given up after 15 seconds', async () => {
    receiver.behave('hangs');
    const clock = createTestClock();
    const outcomes: SendOutcome[] = [];
    const send = sender({ clock, resolver: found(receiverAddress) });
    void send(message('hooks.test'), never).then((outcome) => outcomes.push(outcome));
    await until(() => receiver.messages.length === 1);
    clock.advance(14_999);
    await setImmediate();
    assert.deepEqual(outcomes, []);
    clock.advance(1);
    await setImmediate();
    assert.deepEqual(outcomes, [{ kind: 'failed', why: 'timeout' }]);
  });

  test('a message is broken off when its sender is told to stop', async () => {
    receiver.behave('hangs');
    const stop = new AbortController();
    const outcome = sender()(message('hooks.test'), stop.signal);
    await until(() => receiver.messages.length === 1);
    stop.abort(new Error('stopping'));
    await assert.rejects(outcome, /stopping/);
  });

  test('what points into the network of the operator is not dialled', async () => {
    const outside = await startReceiver({ address: '127.0.0.1', port: receiver.port });
    for (const host of ['inside.test', '127.0.0.1', '[::1]', '2130706433', '10.0.0.1', '169.254.169.254'])
      assert.deepEqual(
        await sender()(message(host, { scheme: 'https' }), never),
        { kind: 'failed', why: 'forbidden_address' },
        host,
      );
    await outside.stop();
    assert.equal(outside.connections, 0);
  });

  test('a name that points to loopback after the first look-up reaches nothing there', async () => {
    const outside = await startReceiver({ address: '127.0.0.1', port: receiver.port });
    const send = sender();
    const outcomes = [];
    for (let n = 0; n < 4; n += 1) outcomes.push(await send(message('rebinds.test'), never));
    await outside.stop();
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.kind === 'answered' ? outcome.status : outcome.why)),
      [204, 'forbidden_address', 204, 'forbidden_address'],
    );
    assert.equal(receiver.connections, 2);
    assert.equal(outside.connections, 0);
  });

  test('of several addresses those that may not be dialled are passed over', async () => {
    const outcome = await sender()(message('second.test'), never);
    assert.equal(outcome.kind === 'answered' && outcome.status, 204);
  });

  test('http is spoken in the blocks that the operator opened, and nowhere else', async () => {
    const outcome = await sender()(message('public.test'), never);
    assert.deepEqual(outcome, { kind: 'failed', why: 'https_required' });
  });

  test('a name that does not exist, and one whose look-up fails, are told apart', async () => {
    assert.deepEqual(await sender()(message('nowhere.test'), never), {
      kind: 'failed',
      why: 'name_not_found',
    });
    assert.deepEqual(await sender()(message('broken.test'), never), { kind: 'failed', why: 'dns_failed' });
  });

  test('nobody listens: the connection has failed', async () => {
    const { port } = receiver;
    await receiver.stop();
    const outcome = await sender()(message('hooks.test', { port }), never);
    assert.deepEqual(outcome, { kind: 'failed', why: 'connection_failed' });
  });

  test('over https the certificate must be of an authority that is trusted and of the name in the URL', async () => {
    const secure = await startReceiver({ address: receiverAddress, tls: { key, cert } });
    const to = (host: string) => message(host, { scheme: 'https', port: secure.port });
    const outcomes = [
      await sender({ ca: cert })(to('mail.test'), never),
      await sender({ ca: cert })(to('hooks.test'), never),
      await sender()(to('mail.test'), never),
    ];
    await secure.stop();
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.kind === 'answered' ? outcome.status : outcome.why)),
      [204, 'tls_failed', 'tls_failed'],
    );
    assert.equal(secure.messages.length, 1);
  });
});

/** A resolver that answers at once: where time stands still, no packet may wait for it. */
function found(address: string): OutgoingParts['resolver'] {
  return {
    ipv4: () => Promise.resolve({ kind: 'found', records: [address] }),
    ipv6: () => Promise.resolve({ kind: 'no_data' }),
  };
}
