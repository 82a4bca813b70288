/**
 * Places whose mail hosts tell the truth about their mailboxes, each in its own manner, and places that answer as the
 * large providers do.
 */
import { tempers } from '../tempers.ts';
import {
  catchAll,
  disabled,
  disposable,
  full,
  invalidDomain,
  noSuchMailbox,
  type Place,
  placeOf,
  role,
  safe,
  trap,
  unknown,
} from './place.ts';

const everyState = {
  full: 'full',
  'full-for-now': 'full_for_now',
  disabled: 'disabled',
  busy: 'busy',
  deferred: 'deferred',
  support: 'exists',
  abuse: 'exists',
  "o'hara+news": 'exists',
} as const;

const alive = (story: string) => ({ who: 'alive', expect: safe, story });
const nobody = (story: string) => ({ who: 'nobody', expect: noSuchMailbox, story });

export const truthfulPlaces: Place[] = [
  placeOf('plain.test', { temper: tempers.plain, mailboxes: { ...everyState, trap: 'exists' } }, [
    alive('exists'),
    { who: 'unknown', expect: noSuchMailbox, story: 'no such mailbox' },
    { who: 'full', expect: full, story: 'over quota, 552' },
    { who: 'full-for-now', expect: full, story: 'over quota, 452' },
    { who: 'disabled', expect: disabled, story: 'disabled' },
    { who: 'support', expect: role, story: 'exists and is a role' },
    { who: 'abuse', expect: role, story: 'exists and is a role that nobody should write to in bulk' },
    { who: 'busy', expect: unknown('receiving_too_fast'), story: 'receives mail too quickly' },
    { who: 'deferred', expect: unknown('deferred'), story: 'a lookup of the host failed' },
    { who: "o'hara+news", expect: safe, story: 'an odd but right local part' },
    {
      who: 'jürgen',
      expect: invalidDomain('no_host_offers_smtputf8'),
      story: 'needs SMTPUTF8, which is not offered',
    },
    { who: 'trap', expect: trap, needs: 'lists', story: 'on the list of traps' },
  ]),
  placeOf('disposable.test', { temper: tempers.catchAll }, [
    { who: 'anyone', expect: disposable, needs: 'lists', story: 'a throw-away domain' },
  ]),
  placeOf('catchall.test', { temper: tempers.catchAll, mailboxes: { full: 'full' } }, [
    { who: 'anyone', expect: catchAll, story: 'every address is taken' },
    { who: 'support', expect: catchAll, story: 'a role, but every address is taken' },
    { who: 'full', expect: full, story: 'full, though every address is taken' },
  ]),
  placeOf('onercpt.test', { temper: tempers.oneRecipient, mailboxes: everyState }, [
    alive('one recipient a transaction'),
    nobody('one recipient a transaction, and not this one'),
  ]),
  placeOf('starttls.test', { temper: tempers.starttlsDemanded }, [
    alive('STARTTLS demanded'),
    nobody('STARTTLS demanded, no such mailbox'),
  ]),
  placeOf('starttls-offered.test', { temper: tempers.starttlsOffered }, [alive('STARTTLS offered')]),
  placeOf('nopipelining.test', { temper: tempers.noPipelining }, [alive('one command at a time')]),
  placeOf('heloonly.test', { temper: tempers.heloOnly }, [
    alive('knows HELO only'),
    nobody('knows HELO only, no such mailbox'),
  ]),
  placeOf('smtputf8.test', { temper: tempers.smtputf8, mailboxes: { jürgen: 'exists' } }, [
    { who: 'jürgen', expect: safe, story: 'an internationalised local part' },
    { who: 'größe', expect: noSuchMailbox, story: 'an internationalised local part nobody has' },
    alive('offers SMTPUTF8, which is not needed'),
  ]),
  placeOf('unhurried.test', { temper: tempers.unhurried }, [alive('slow and sound')]),
  placeOf('ipv6.test', { temper: tempers.plain, address: '::1' }, [
    { ...alive('to be reached over IPv6 only'), needs: 'ipv6' },
  ]),
  placeOf('counts-errors.test', { temper: tempers.countsErrors }, [
    alive('counts errors as Postfix does'),
    nobody('counts errors as Postfix does, no such mailbox'),
  ]),
  placeOf('mostly-refused.test', { temper: tempers.refusesMostlyRefused }, [
    alive('gives up on clients that name too many unknown mailboxes'),
  ]),
  placeOf('hangup-first.test', { temper: tempers.hangsUpAtFirstRefusal }, [
    alive('hangs up right after refusing the random probe'),
    nobody('hangs up right after saying there is no such mailbox'),
  ]),
  placeOf('hangup-third.test', { temper: tempers.hangsUpAtThirdRefusal }, [
    alive('hangs up at the third refusal'),
    nobody('hangs up at the third refusal, no such mailbox'),
  ]),
  placeOf('codealone.test', { temper: { fault: { phase: 'mail', fault: 'code_alone' } } }, [
    alive('a code without text is a reply all the same'),
  ]),
  placeOf('barelf.test', { temper: { fault: { phase: 'rcpt', fault: 'bare_lf' } } }, [
    alive('a line feed alone ends a line, as Postfix allows'),
  ]),
  placeOf('splitbytes.test', { temper: { fault: { phase: 'rcpt', fault: 'split_bytes' } } }, [
    alive('a reply in segments of one byte'),
  ]),
];

const mailboxes = {
  full: 'full',
  'full-for-now': 'full_for_now',
  disabled: 'disabled',
  busy: 'busy',
} as const;

/** Places of the large providers. Host names carry the suffix by which a provider is recognised. */
export const providerPlaces: Place[] = [
  placeOf('gmail-like.test', { temper: tempers.gmailLike, mailboxes, hostName: 'mx-of-world.google.com' }, [
    { who: 'alive', expect: safe, story: 'Gmail: exists' },
    { who: 'nobody', expect: noSuchMailbox, story: 'Gmail: p=NoSuchUser' },
    { who: 'full', expect: full, story: 'Gmail: p=OverQuotaPerm' },
    { who: 'full-for-now', expect: full, story: 'Gmail: p=OverQuotaTemp' },
    { who: 'disabled', expect: disabled, story: 'Gmail: p=DisabledUser' },
    { who: 'busy', expect: unknown('receiving_too_fast'), story: 'Gmail: receives mail too fast' },
  ]),
  placeOf(
    'm365-like.test',
    { temper: tempers.microsoft365Like, mailboxes, hostName: 'world-test.mail.protection.outlook.com' },
    [
      { who: 'alive', expect: safe, story: 'Microsoft 365: exists' },
      { who: 'nobody', expect: noSuchMailbox, story: 'Microsoft 365: "access denied" means no such user' },
      { who: 'full', expect: full, story: 'Microsoft 365: mailbox full' },
    ],
  ),
  placeOf(
    'outlook-like.test',
    { temper: tempers.outlookLike, mailboxes, hostName: 'world-test.olc.protection.outlook.com' },
    [
      { who: 'alive', expect: safe, story: 'Outlook.com: exists, one recipient a transaction' },
      { who: 'nobody', expect: noSuchMailbox, story: 'Outlook.com: 5.5.0 mailbox unavailable' },
      { who: 'full', expect: full, story: 'Outlook.com: mailbox full' },
    ],
  ),
  placeOf('yahoo-like.test', { temper: tempers.yahooLike, hostName: 'mx-of-world.am0.yahoodns.net' }, [
    {
      who: 'anyone',
      expect: unknown('provider_accepts_everything'),
      story: 'Yahoo: yes to all at RCPT, so nobody asks',
    },
  ]),
  placeOf('mimecast-like.test', { temper: tempers.mimecastLike, hostName: 'mx-of-world.mimecast.com' }, [
    { who: 'alive', expect: unknown('greylisted'), story: 'Mimecast: greylists in other words' },
  ]),
  placeOf('comcast-like.test', { temper: tempers.comcastLike, mailboxes }, [
    { who: 'alive', expect: safe, story: 'Comcast: exists' },
    { who: 'nobody', expect: noSuchMailbox, story: 'Comcast: mailbox unallocated' },
    { who: 'full', expect: full, story: 'Comcast: 5.1.1, but full' },
    { who: 'full-for-now', expect: full, story: 'Comcast: 4.1.1, but full' },
    { who: 'busy', expect: unknown('receiving_too_fast'), story: 'Comcast: too many recent messages' },
  ]),
  placeOf('yandex-like.test', { temper: tempers.yandexLike, mailboxes, hostName: 'mx-of-world.yandex.net' }, [
    { who: 'alive', expect: safe, story: 'Yandex: exists' },
    { who: 'nobody', expect: noSuchMailbox, story: 'Yandex: 5.7.1, but no such user' },
    { who: 'full', expect: full, story: 'Yandex: mailbox size limit' },
  ]),
];
