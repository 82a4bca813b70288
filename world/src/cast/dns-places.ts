/** Places that differ in their DNS: mail goes somewhere, it goes nowhere, or DNS does not tell. */
import type { Zone, ZoneBehaviour } from '../dns/zones.ts';
import { tempers } from '../tempers.ts';
import { invalidDomain, type Place, placeOf, safe, unavailable } from './place.ts';

const alive = (story: string) => ({ who: 'alive', expect: safe, story });

/** A domain that cannot receive mail. */
function closed(domain: string, zone: Zone, why: { reason: string; story: string }): Place {
  const expect = invalidDomain(why.reason);
  return { domain, zones: { [domain]: zone }, people: [{ who: 'x', expect, story: why.story }] };
}

/** The reason that a verifier gives for each behaviour that it can recognise. */
const failures: Partial<Record<ZoneBehaviour, string>> = {
  servfail: 'dns_servfail',
  refused: 'dns_refused',
  notimp: 'dns_other_rcode',
  silent: 'dns_silence',
  wrong_id: 'dns_silence',
  wrong_question: 'dns_silence',
  garbage: 'dns_malformed',
};

/** A domain about which the name server cannot be asked. */
function mute(domain: string, behaviour: ZoneBehaviour, story: string): Place {
  const waits = behaviour === 'silent' || behaviour.startsWith('wrong') || behaviour === 'garbage';
  return {
    domain,
    zones: { [domain]: { mx: [[10, `mx.${domain}`]], behaviour } },
    people: [{ who: 'x', expect: unavailable(failures[behaviour]), story, ...(waits ? { slow: true } : {}) }],
  };
}

/** A plain mail host behind a zone that is special. */
function behind(domain: string, zone: Zone, story: string): Place {
  const place = placeOf(domain, { temper: tempers.plain }, [alive(story)]);
  return { ...place, zones: { [domain]: { mx: [[10, `mx.${domain}`]], ...zone } } };
}

const manyHosts = Array.from({ length: 2_000 }, (_, n): [number, string] => [n + 11, `mx${n}.manymx.test`]);

export const dnsPlaces: Place[] = [
  closed(
    'nullmx.test',
    { mx: [[0, '.']], a: ['127.10.0.1'] },
    { reason: 'null_mx', story: 'null MX: takes no mail (RFC 7505)' },
  ),
  closed(
    'nodata.test',
    { mx: [], txt: ['nothing but text'] },
    { reason: 'no_mail_host', story: 'neither MX nor address' },
  ),
  closed(
    'mx-nowhere.test',
    { mx: [[10, 'missing.mx-nowhere.test']] },
    { reason: 'no_mail_host_resolves', story: 'the MX names a host that does not exist' },
  ),
  closed(
    'mx-literal.test',
    { mx: [[10, '127.0.0.1']] },
    { reason: 'no_mail_host_resolves', story: 'the MX is an address, which is no host name' },
  ),
  closed(
    'mx-localhost.test',
    { mx: [[10, 'localhost']] },
    { reason: 'no_mail_host_resolves', story: 'the MX is localhost' },
  ),
  closed(
    'mx-odd.test',
    { mx: [[10, 'a b\0<script>.mx-odd.test']] },
    { reason: 'no_mail_host_resolves', story: 'the MX is no host name at all' },
  ),
  {
    domain: 'mx-unspecified.test',
    zones: {
      'mx-unspecified.test': { mx: [[10, 'mx.mx-unspecified.test']] },
      'mx.mx-unspecified.test': { a: ['0.0.0.0'], aaaa: ['::'] },
    },
    people: [
      {
        who: 'x',
        expect: { status: 'invalid', reason: 'mail_host_leads_nowhere' },
        story: 'the mail host is at 0.0.0.0, which is nobody’s address',
      },
    ],
  },
  closed(
    'cname-nowhere.test',
    { cname: 'missing.test' },
    { reason: 'no_such_domain', story: 'an alias of nothing' },
  ),

  mute('servfail.test', 'servfail', 'the name server fails'),
  mute('refused.test', 'refused', 'the name server refuses'),
  mute('notimp.test', 'notimp', 'the name server does not know how'),
  mute('dns-silent.test', 'silent', 'the name server does not answer'),
  mute('dns-garbage.test', 'garbage', 'the name server talks nonsense'),
  mute('dns-wrong-id.test', 'wrong_id', 'only a forged answer comes'),
  mute('dns-wrong-question.test', 'wrong_question', 'only an answer to another question comes'),
  mute('dns-no-tcp.test', 'truncate_without_tcp', 'the answer is truncated and TCP is closed'),
  {
    domain: 'cname-loop.test',
    zones: {
      'cname-loop.test': { cname: 'loop.cname-loop.test' },
      'loop.cname-loop.test': { cname: 'cname-loop.test' },
    },
    people: [{ who: 'x', expect: unavailable('dns_servfail'), story: 'aliases in a circle' }],
  },
  {
    domain: 'mx-servfail.test',
    zones: {
      'mx-servfail.test': { mx: [[10, 'mx.mx-servfail.test']] },
      'mx.mx-servfail.test': { behaviour: 'servfail' },
    },
    people: [
      {
        who: 'x',
        expect: unavailable('dns_servfail'),
        story: 'the name of the only mail host cannot be looked up',
      },
    ],
  },

  behind('truncated.test', { behaviour: 'truncate' }, 'the answer comes over TCP'),
  behind('forged-first.test', { behaviour: 'forged_first' }, 'a forged answer comes before the true one'),
  behind('drops-first.test', { behaviour: 'drops_first' }, 'the first query is lost'),
  behind('dns-slow.test', { behaviour: 'slow', slowMs: 200 }, 'the name server is slow'),
  behind('manymx.test', { mx: [[10, 'mx.manymx.test'], ...manyHosts] }, 'the first of 2,001 mail hosts'),
  behind(
    'bad-and-good-mx.test',
    {
      mx: [
        [5, 'localhost'],
        [10, 'mx.bad-and-good-mx.test'],
      ],
    },
    'an MX that is none, then a good one',
  ),
  placeOf('underscore-mx.test', { temper: tempers.plain, hostName: '_dc-mx.0a1b2c.underscore-mx.test' }, [
    alive('the mail host has an underscore in its name, as Cloudflare gives them'),
  ]),
  behind('ttl-zero.test', { ttl: 0 }, 'nothing may be cached'),
  {
    ...placeOf('implicit.test', { temper: tempers.plain, hostName: 'implicit.test' }, [
      alive("no MX, the domain's own address serves"),
    ]),
    zones: {},
  },
  {
    domain: 'cname.test',
    zones: { 'cname.test': { cname: 'plain.test' } },
    people: [alive('an alias of plain.test')],
  },
  { ...behind('xn--bcher-kva.test', {}, 'an internationalised domain'), people: [] },
  { domain: 'bücher.test', zones: {}, people: [alive('an internationalised domain')] },
  {
    domain: 'nxdomain.test',
    zones: {},
    people: [{ who: 'x', expect: invalidDomain('no_such_domain'), story: 'no such domain' }],
  },
];
