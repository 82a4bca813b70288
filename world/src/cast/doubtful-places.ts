/** Places that mislead a verifier that believes one host, one place in line or one reply at once. */
import type { Mailbox, Quirk, Temper } from '../smtp/temper.ts';
import type { HostDescription } from '../start-world.ts';
import { tempers } from '../tempers.ts';
import {
  catchAll,
  type Expectation,
  noSuchMailbox,
  type Person,
  type Place,
  placeOf,
  safe,
  unknown,
} from './place.ts';

const rejected = '550 Rejected';

type Expected = { alive?: Expectation; nobody?: Expectation; others?: Person[] };

/** Returns a host with one quirk. It has the mailbox `alive`, and no other. */
function quirky(
  domain: string,
  about: { quirk: Quirk; temper?: Temper; story: string },
  expected: Expected,
): Place {
  const { quirk, temper, story } = about;
  const people = (['alive', 'nobody'] as const).flatMap((who): Person[] => {
    const expect = expected[who];
    return expect === undefined ? [] : [{ who, expect, story, ...(isSlow(quirk) ? { slow: true } : {}) }];
  });
  return placeOf(domain, { temper: { ...temper, quirks: [quirk] } }, [...people, ...(expected.others ?? [])]);
}

function isSlow({ kind }: Quirk): boolean {
  return kind === 'loses_reply';
}

const living: HostDescription = { mailboxes: { alive: 'exists', second: 'exists' } };
const takesAll: HostDescription = { temper: { catchAll: true } };

/** A preferred host that is away, and a backup that accepts every recipient. */
function backup(domain: string, first: HostDescription, story: string): Place {
  const hosts = { [`mx1.${domain}`]: first, [`mx2.${domain}`]: takesAll };
  const expect = unknown('backup_accepts_everything');
  return {
    domain,
    zones: { [domain]: { mx: Object.keys(hosts).map((name, at) => [10 * (at + 1), name]) } },
    hosts,
    people: ['alive', 'nobody'].map((who) => ({ who, expect, story })),
  };
}

const aliveAndNobody = (story: string): Person[] => [
  { who: 'alive', expect: safe, story },
  { who: 'nobody', expect: noSuchMailbox, story },
];

/** Two hosts of equal preference that know the same mailboxes. */
function pool(domain: string): Place {
  const hosts = { [`mx1.${domain}`]: living, [`mx2.${domain}`]: living };
  return {
    domain,
    zones: { [domain]: { mx: Object.keys(hosts).map((name) => [10, name]) } },
    hosts,
    people: aliveAndNobody('two hosts of equal preference'),
  };
}

/** One name with two addresses, of which one answers 421. */
function twoAddresses(domain: string): Place {
  const addresses = ['127.12.7.1', '127.12.7.2'] as const;
  return {
    domain,
    zones: { [domain]: { mx: [[10, `mx.${domain}`]] }, [`mx.${domain}`]: { a: [...addresses] } },
    hosts: {
      [`one.${domain}`]: { ...living, address: addresses[0] },
      [`two.${domain}`]: { ...living, address: addresses[1], temper: { pipelining: false } },
    },
    people: aliveAndNobody('one name with two addresses'),
  };
}

/** Names left behind in DNS before a host that serves. */
function manyDead(domain: string, dead: number): Place {
  const names = Array.from({ length: dead }, (_, at) => `dead${at}.${domain}`);
  const mx = [...names, `mx.${domain}`].map((name, at): [number, string] => [10 * (at + 1), name]);
  const nothing: HostDescription = { temper: { dead: true } };
  return {
    domain,
    zones: { [domain]: { mx } },
    hosts: { ...Object.fromEntries(names.map((name) => [name, nothing])), [`mx.${domain}`]: living },
    people: aliveAndNobody(`${dead} dead hosts before the one that serves`),
  };
}

/** A host that says the same of every recipient. */
function sameForAll(domain: string, reply: string, story: string): Place {
  const temper: Temper = { refusal: { at: 'rcpt', reply } };
  const people = ['alive', 'nobody'].map((who): Person => ({ who, expect: unknown(), story }));
  return placeOf(domain, { temper }, people);
}

/** A reply in the letters of its country. */
function inLetters(domain: string, temper: Temper, story: string): Place {
  const [alive, nobody] = [safe, { status: 'invalid' }] as const;
  return placeOf(domain, { temper }, [
    { who: 'alive', expect: alive, story },
    { who: 'nobody', expect: nobody, story },
  ]);
}

const ofOneReply = (domain: string, reply: string): Place => {
  const mailboxes: Record<string, Mailbox> = { odd: { reply } };
  const story = `${reply.slice(0, 3)} in reply to RCPT`;
  return placeOf(domain, { temper: {}, mailboxes }, [{ who: 'odd', expect: unknown(), story }]);
};

const tooManyInvalid = (domain: string, reply: string): Place =>
  quirky(
    domain,
    { quirk: { kind: 'counts_refusals', refusals: 2, reply }, story: 'counts what was refused' },
    { alive: safe, nobody: noSuchMailbox },
  );

const undetermined = unknown('catch_all_undetermined');

export const doubtfulPlaces: Place[] = [
  backup('backup-dead.test', { temper: { dead: true } }, 'the first mail host is down, the backup takes all'),
  backup(
    'backup-busy.test',
    { ...living, temper: { refusal: { at: 'banner', reply: '421 4.3.2 {host} too busy' } } },
    'the first mail host says 421, the backup takes all',
  ),
  pool('pool.test'),
  twoAddresses('two-addresses.test'),
  manyDead('manydead.test', 8),
  ...[1, 2].map((recipients) =>
    quirky(
      `takes-${recipients}.test`,
      {
        quirk: { kind: 'takes_distinct', recipients, reply: rejected },
        story: `answers for ${recipients} a conversation`,
      },
      { alive: safe },
    ),
  ),
  quirky(
    'takes-1-of-all.test',
    {
      quirk: { kind: 'takes_distinct', recipients: 1, reply: rejected },
      temper: { catchAll: true },
      story: 'takes the first of a conversation, whoever it is',
    },
    { nobody: catchAll },
  ),
  quirky(
    'yes-no-no-yes.test',
    {
      quirk: { kind: 'by_place', says: ['yes', 'no', 'no', 'yes'], then: 'again', reply: rejected },
      story: 'answers by place alone',
    },
    { nobody: catchAll },
  ),
  quirky(
    'refuses-first.test',
    {
      quirk: { kind: 'by_place', says: ['no', 'truth'], then: 'stays', reply: rejected },
      story: 'refuses the first recipient of each conversation',
    },
    { alive: unknown('refused_without_reason') },
  ),
  quirky(
    'refuses-first-of-all.test',
    {
      quirk: { kind: 'by_place', says: ['no', 'yes'], then: 'stays', reply: rejected },
      story: 'takes all but the first recipient of each conversation',
    },
    { nobody: catchAll },
  ),
  quirky(
    'loses-first-reply.test',
    { quirk: { kind: 'loses_reply', place: 1 }, story: 'never replies to the first recipient' },
    { alive: unknown('smtp_timeout') },
  ),
  quirky(
    'loses-second-reply.test',
    { quirk: { kind: 'loses_reply', place: 2 }, story: 'never replies to the second recipient' },
    { alive: undetermined },
  ),
  quirky(
    'surplus-reply.test',
    {
      quirk: { kind: 'surplus_reply', place: 1, reply: '250 2.1.5 Ok' },
      temper: { replies: { unknown: '550 5.1.1 User unknown' } },
      story: 'one reply too many',
    },
    { alive: unknown('protocol_error'), nobody: unknown('protocol_error') },
  ),
  ofOneReply('220-at-rcpt.test', '220 {host} ESMTP'),
  ofOneReply('221-at-rcpt.test', '221 2.0.0 Bye'),
  sameForAll('all-full.test', '552 5.2.2 <{recipient}>: Quota exceeded (mailbox for user is full)', 'full'),
  sameForAll('all-disabled.test', '550 5.2.1 <{recipient}>: This mailbox is disabled', 'disabled'),
  quirky(
    'one-client.test',
    {
      quirk: { kind: 'one_client', reply: '421 4.7.0 {host} Too many connections from {client}' },
      story: 'one client at a time',
    },
    { alive: safe, nobody: noSuchMailbox, others: [{ who: 'noone', expect: noSuchMailbox, story: 'waits' }] },
  ),
  tooManyInvalid('too-many-550.test', '550 5.7.1 Too many invalid recipients in this session'),
  tooManyInvalid('too-many-554.test', '554 5.7.1 Too many invalid recipients in this session'),
  tooManyInvalid('too-many-452.test', '452 4.5.3 Too many invalid recipients in this session'),
  inLetters(
    'utf8.test',
    { replies: { unknown: '550 5.1.1 <{recipient}>: Empfänger unbekannt' } },
    'a reply in UTF-8',
  ),
  inLetters(
    'latin1.test',
    { encoding: 'latin1', replies: { unknown: '550 5.1.1 <{recipient}>: Empfänger unbekannt' } },
    'a reply in Latin-1',
  ),
];

const alive = (story: string) => ({ who: 'alive', expect: safe, story });
const inDoubt = (story: string) => ({ who: 'alive', expect: unknown('catch_all_undetermined'), story });

/** Places whose refusals give no reason, or the wrong one. Only the contrast of two answers can tell. */
export const contrastPlaces: Place[] = [
  placeOf('opensmtpd.test', { temper: tempers.openSmtpdLike }, [alive('524 for every unknown mailbox')]),
  placeOf('haraka.test', { temper: tempers.harakaLike }, [alive('550 without a reason')]),
  placeOf('haraka-alone.test', { temper: tempers.harakaLike }, [
    {
      who: 'nobody',
      expect: unknown('refused_without_reason'),
      story: 'refused without a reason, and nobody to compare it with',
    },
  ]),
  placeOf('soft-bounce.test', { temper: tempers.softBounces }, [alive('450 for every unknown mailbox')]),
  placeOf('verification-failed.test', { temper: tempers.verificationFailed }, [
    alive('450 after the next host said that there is no such mailbox'),
  ]),
  placeOf('verifying.test', { temper: tempers.verificationInProgress }, [
    inDoubt('450 while the next host has not been asked'),
  ]),
  placeOf('mimecast-unknown.test', { temper: tempers.mimecastUnknown }, [alive('451 for unknown mailboxes')]),
  placeOf('every-second.test', { temper: tempers.refusesEverySecond }, [
    { who: 'anyone', expect: catchAll, story: 'every second recipient of a transaction is refused' },
  ]),
  placeOf('every-second-of-all.test', { temper: tempers.refusesEverySecondOfAll }, [
    { who: 'anyone', expect: catchAll, story: 'every second recipient of a conversation is refused' },
  ]),
  placeOf('locks.test', { temper: tempers.locksAtFirstRefusal }, [
    inDoubt('everybody is refused after the first refusal'),
  ]),
];
