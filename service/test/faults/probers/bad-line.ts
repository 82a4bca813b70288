import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';

/**
 * A relay between a prober and its centre that loses, repeats and delays messages. It may also send a forgery
 * before a report: the same probes, in the name of a prober that does not hold them, with false evidence.
 */
type BadLine = { url: string; did: Record<Mishap, number>; close: () => Promise<void> };

const mishaps = ['lost', 'unheard', 'repeated', 'late', 'forged'] as const;
type Mishap = (typeof mishaps)[number];

/** An enrolled prober that holds nothing. */
type Forger = { secret: string; instance: string };

type LineParts = { centre: string; random: Random; forger: Forger };

const longestDelayMs = 1_500;

export async function openBadLine({ centre, random, forger }: LineParts): Promise<BadLine> {
  const did = Object.fromEntries(mishaps.map((mishap) => [mishap, 0])) as Record<Mishap, number>;
  const nextMishap = dealMishaps();
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const authorization = request.headers.authorization ?? '';
    const body = await text(request);
    const send = (message = body, bearer = authorization) =>
      fetch(new URL(path, centre), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: bearer },
        body: message,
      });
    const mishap = nextMishap(path);
    if (mishap === undefined) return answer(response, await send());
    did[mishap] += 1;
    switch (mishap) {
      case 'lost':
        response.destroy();
        return undefined;
      case 'unheard':
        await send();
        response.destroy();
        return undefined;
      case 'repeated':
        await send();
        return answer(response, await send());
      case 'late':
        await sleep(random.below(longestDelayMs));
        return answer(response, await send());
      case 'forged':
        await send(falsified(body, forger), `Bearer ${forger.secret}`);
        return answer(response, await send());
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    did,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Deals mishaps in turn, so that each happens: to every second report, and to every third lease, which can only be
 * lost.
 */
function dealMishaps(): (path: string) => Mishap | undefined {
  let reports = 0;
  let leases = 0;
  return (path) => {
    if (path.endsWith('/report')) {
      reports += 1;
      return reports % 2 === 0 ? undefined : mishaps[((reports - 1) / 2) % mishaps.length];
    }
    if (!path.endsWith('/lease')) return undefined;
    leases += 1;
    return leases % 3 === 0 ? mishaps[(leases / 3) % 2] : undefined;
  };
}

async function answer(response: ServerResponse, answered: Response): Promise<void> {
  const body = await answered.text();
  response.writeHead(answered.status, { 'content-type': 'application/json' }).end(body);
}

/** Returns a report in which no mailbox exists. */
function falsified(body: string, { instance }: Forger): string {
  const report = JSON.parse(body) as { results: object[] };
  const meaning = { label: 'mailbox_not_exist', reason: 'user_unknown' };
  const replies = [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' }];
  const evidence = {
    kind: 'answered',
    host: 'mx.strict.test',
    replies,
    meaning,
    catch_all: { kind: 'undetermined' },
  };
  return JSON.stringify({
    ...report,
    instance,
    learned: [],
    results: report.results.map((one) => ({ ...one, evidence })),
  });
}
