import type { ProviderId } from '../replies/providers.ts';
import { whereUnknownMailboxesAreCounted } from './default-politeness.ts';
import type { ProviderSetting } from './policy-file.ts';

/**
 * Published wishes of large receivers, as far as they differ from the defaults. The stance is published by the
 * provider, in its postmaster pages or in the replies it gives, and it is printed in `docs/providers.md`. Numbers
 * called ours have no published source. Nothing here was tried out on the providers themselves. A provider that is
 * not named is asked, with the defaults.
 *
 * Groups are ids of the provider table, or registrable domains for hosts that the table does not know.
 */
export type BuiltInPolicy = Omit<ProviderSetting, 'routes' | 'controls' | 'multipliesLimits'> & {
  group: ProviderId | 'cox.net';
  stance: string;
  /** Its published policy forbids verification without sending; `docs/providers.md` cites it. */
  forbidsVerification?: true;
};

export const builtInPolicies: readonly BuiltInPolicy[] = [
  {
    // The default of five conversations at most is the five that senders of bulk mail are advised to open.
    group: 'google',
    countsUnknown: true,
    stance:
      'Wants a PTR record that leads back to the same address, volume that does not double suddenly, and limits ' +
      'counted by mail host and not by domain of the recipient. Quotas hold per IP address and per sender ' +
      'domain. After 421 4.7.28 it wants ten minutes of silence. Takes the ' +
      'recipients of one domain in a transaction.',
  },
  {
    group: 'outlook',
    countsUnknown: true,
    forbidsVerification: true,
    stance:
      'Forbids verification without sending. Wants valid reverse DNS and no dynamic addresses; allows 500 connections, and defers addresses without a ' +
      'reputation (451 4.7.650 to 4.7.652). Takes one recipient in a transaction.',
  },
  {
    group: 'microsoft',
    countsUnknown: true,
    stance:
      'Defers senders it has not met (451 4.7.500 to 4.7.699), refuses banned addresses (5.7.606 to 5.7.649), ' +
      'wants reverse DNS. A customer who has not switched edge blocking on takes every address.',
  },
  {
    // The limits hold if an operator still sets `asking` to `probe`.
    group: 'yahoo',
    countsUnknown: true,
    asking: 'takes_every_address',
    politeness: whereUnknownMailboxesAreCounted,
    stance:
      'Accepts every recipient and tells the truth only after the message, which is never sent. Counts unknown ' +
      'recipients against an address ("excessive unknown recipients"), allows 20 messages in a connection, ' +
      'wants a PTR record that is not generic. Hosts cox.net, att.net, sbcglobal.net, bellsouth.net and, as they ' +
      'move, comcast.net as well.',
  },
  {
    group: 'apple',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance:
      'Asks a reputation service about each address before it speaks; ends a conversation with 421 after too ' +
      'many errors; five messages in a connection are the advice.',
  },
  {
    group: 'mailru',
    asking: 'takes_every_address',
    stance: 'Accepts every recipient and tells the truth only after the message, which is never sent.',
  },
  {
    group: 'godaddy',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance: 'Blocks an address for the day after too many invalid recipients (IB112, IB113).',
  },
  {
    group: 'mxroute',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance: 'Blocks an address that sends "excessive rejected recipients".',
  },
  {
    group: 'cox.net',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance:
      'Blocks an address after too many invalid recipients. The mail of cox.net itself goes to Yahoo since October 2024.',
  },
  {
    group: 'orange',
    politeness: { conversationsPerGroup: 2, conversationsPerGroupAtMost: 2 },
    stance: 'Takes two connections at once from an address (421 OFR005_104 to a third).',
  },
  {
    group: 'comcast',
    stance:
      'Allows 25 connections; answers 421 to an address without reverse DNS. Moves its mailboxes to Yahoo through 2026.',
  },
  {
    // A limit that is answered like an unknown mailbox must not be met: one conversation, ten a minute, are ours.
    group: 'qq',
    politeness: {
      conversationsPerGroup: 1,
      conversationsPerGroupAtMost: 1,
      connectionsPerMinute: 10,
    },
    stance:
      'Limits how often a sender, an address and a connection may ask, without a number, and may answer ' +
      '"Mailbox unavailable or access denied" to a frequent asker as to an unknown mailbox.',
  },
  {
    group: 'mimecast',
    stance: 'Defers senders it has not met, for a minute at least, and blocks addresses for a while (451).',
  },
  {
    group: 'yandex',
    stance: 'Defers frequent askers (450 4.2.1). Some of the domains it hosts take every address.',
  },
];
