import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { host, loopbackBench, patience } from '../../test/support/loopback-bench.ts';
import { rcodes, type Zone } from '../../test/support/loopback-dns.ts';
import { systemClock } from '../clock.ts';
import { defaultLimits } from '../limits.ts';
import { findPosture } from './find-posture.ts';

const bench = loopbackBench();
after(() => bench.close());

async function postureIn(zone: Zone, domain = 'example.test') {
  const dns = await bench.server(zone);
  const parts = { resolver: bench.resolver([dns]), clock: systemClock, limits: defaultLimits };
  return { posture: await findPosture(host(domain), parts, patience()), queries: dns.queries };
}

describe('the records that a domain publishes about its mail', () => {
  const table: [string, Zone, Awaited<ReturnType<typeof findPosture>>][] = [
    ['nothing', {}, { spf: false, dmarc: 'absent', mtaSts: false }],
    [
      'everything',
      {
        'example.test': { txt: ['hello', 'v=spf1 -all'] },
        '_dmarc.example.test': { txt: ['v=DMARC1; p=reject; rua=mailto:x@example.test'] },
        '_mta-sts.example.test': { txt: ['v=STSv1; id=20200101'] },
      },
      { spf: true, dmarc: 'enforced', mtaSts: true },
    ],
    [
      'a DMARC record that only watches, and what only looks like the others',
      {
        'example.test': { txt: ['v=spf10 -all', 'about v=spf1'] },
        '_dmarc.example.test': { txt: ['v=DMARC1; p=none; sp=reject'] },
        '_mta-sts.example.test': { txt: ['v=STSv10'] },
      },
      { spf: false, dmarc: 'watching', mtaSts: false },
    ],
    [
      'a question that fails is not answered by a no',
      { 'example.test': { txt: ['v=spf1'] }, '_dmarc.example.test': { rcode: rcodes.servfail } },
      { spf: true, mtaSts: false },
    ],
  ];
  for (const [title, zone, expected] of table) {
    test(title, async () => {
      assert.deepEqual((await postureIn(zone)).posture, expected);
    });
  }

  test('a domain too long for the names below it is not asked about', async () => {
    const long = `${`${'a'.repeat(49)}.`.repeat(4)}${'b'.repeat(44)}.test`;
    const { posture, queries } = await postureIn({}, long);
    assert.deepEqual([posture, queries.length], [{}, 0]);
  });
});
