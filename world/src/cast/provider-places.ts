/** Places that answer as the large providers are known to. Host names carry the suffix a provider is known by. */
import { tempers } from '../tempers.ts';
import { disabled, full, noSuchMailbox, safe, unknown } from './expectations.ts';
import { placeOf } from './place.ts';
import type { Place } from './place.ts';

const mailboxes = {
  full: 'full',
  'full-for-now': 'full_for_now',
  disabled: 'disabled',
  busy: 'busy',
} as const;

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
