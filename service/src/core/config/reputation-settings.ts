import { canonicalHost, usualBlockLists } from '@mailproof/engine';
import { listOrNone, type Setting } from './setting.ts';

/** The settings of what the world thinks of our egress addresses. They are part of the table in config.ts. */
export type ReputationConfig = {
  /** Zones of DNS block lists. */
  blockLists: string[];
};

export const reputationSettings: {
  readonly [Name in keyof ReputationConfig]: Setting<ReputationConfig[Name]>;
} = {
  blockLists: {
    names: ['MAILPROOF_BLOCK_LISTS'],
    meaning:
      'DNS block lists that the egress addresses are looked up in, at the start and every six hours; an address that is on one is closed until it is removed. none: no list is looked up',
    defaultText: usualBlockLists.join(','),
    defaultValue: () => [...usualBlockLists],
    ...listOrNone('zones such as zen.spamhaus.org', canonicalHost),
    // A zone of the paid service has the operator's key before its name.
    mask: (text) => text.replace(/[^.,\s]+(?=\.[^.,\s]+\.dq\.spamhaus\.net)/g, '***'),
  },
};
