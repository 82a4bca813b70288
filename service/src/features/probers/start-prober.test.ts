import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../start/config.ts';
import { StartError } from '../../core/config/start-error.ts';
import { startProber } from './start-prober.ts';

type Answer = { status: number; body: string };

const enrolled: Answer = { status: 200, body: JSON.stringify({ prober_id: 'p1', name: 'lisbon' }) };
const unavailable: Answer = {
  status: 503,
  body: JSON.stringify({ status: 'error', reason: 'service_unavailable' }),
};
const badGateway: Answer = { status: 502, body: '<html>Bad Gateway</html>' };
const wrongToken: Answer = {
  status: 401,
  body: JSON.stringify({ status: 'error', reason: 'invalid_enrolment_token' }),
};

/** A centre that gives these answers to enrolments, the last of them for ever; leases find it busy. */
async function startCentre(
  answers: Answer[],
): Promise<{ url: string; enrolments: () => number; server: Server }> {
  let enrolments = 0;
  const server = createServer((request, response) => {
    request.resume();
    const isEnrolment = request.url === '/probe/v1/enrol';
    const answer = isEnrolment ? answers[Math.min(enrolments, answers.length - 1)] : unavailable;
    if (isEnrolment) enrolments += 1;
    response.writeHead(answer?.status ?? 500, { 'content-type': 'application/json' }).end(answer?.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, enrolments: () => enrolments, server };
}

async function startAt(answers: Answer[]) {
  const centre = await startCentre(answers);
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-prober-'));
  const config = readConfig({ MAILPROOF_DATA_DIR: dataDir, MAILPROOF_RESOLVER_PROBES: 'none' });
  assert.ok(config.kind !== 'bad');
  const lines: string[] = [];
  const stopping = new AbortController();
  const starting = startProber(config.config, {
    url: centre.url,
    token: 'token',
    version: '0',
    signal: stopping.signal,
    logDestination: { write: (text: string) => void lines.push(text) },
  });
  const close = () => {
    centre.server.closeAllConnections();
    centre.server.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { starting, centre, lines, stopping, close };
}

const told = (lines: string[]) => lines.join('').match(/cannot enrol this prober yet/g)?.length ?? 0;

describe('the start of a prober', () => {
  it('enrols once the service can, after 503 and a proxy’s own page, and says so in one line', async () => {
    const { starting, centre, lines, close } = await startAt([
      unavailable,
      badGateway,
      unavailable,
      enrolled,
    ]);
    const prober = await starting;
    assert.deepEqual([prober.name, centre.enrolments(), told(lines)], ['lisbon', 4, 1]);
    await prober.stop();
    close();
  });

  it('ends at once if the token is wrong', async () => {
    const { starting, centre, lines, close } = await startAt([wrongToken]);
    await assert.rejects(
      starting,
      (error) => error instanceof StartError && /token is wrong/.test(error.message),
    );
    assert.deepEqual([centre.enrolments(), told(lines)], [1, 0]);
    close();
  });

  it('ends when it is stopped while it waits', async () => {
    const { starting, centre, stopping, close } = await startAt([unavailable]);
    const failed = assert.rejects(starting, StartError);
    while (centre.enrolments() === 0) await new Promise(setImmediate);
    stopping.abort();
    await failed;
    close();
  });
});
