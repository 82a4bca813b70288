import { tracingChannel } from 'node:diagnostics_channel';

/**
 * Operations that take time, published for tracers (`node:diagnostics_channel`): a subscriber sees each begin and
 * end. Without a subscriber it costs a comparison. No address is published.
 */
export const tracedLookups = tracingChannel<unknown, TracedLookup>('mailproof:dns');
export const tracedConversations = tracingChannel<unknown, TracedConversation>('mailproof:conversation');

/** One question on its way to the resolvers. A cached answer is no lookup. */
type TracedLookup = { type: string };

type TracedConversation = { host: string; route: string };
