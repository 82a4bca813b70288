import { tracingChannel } from 'node:diagnostics_channel';

/**
 * What takes time, published for whoever traces it (`node:diagnostics_channel`): a subscriber sees each begin and end.
 * Where nobody subscribes it costs a comparison. No address is published.
 */
export const tracedLookups = tracingChannel<unknown, TracedLookup>('mailproof:dns');
export const tracedConversations = tracingChannel<unknown, TracedConversation>('mailproof:conversation');

/** One question on its way to the resolvers. What is known already is no lookup. */
type TracedLookup = { type: string };

type TracedConversation = { host: string; route: string };
