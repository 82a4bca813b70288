import { askProvidersMayBe, ipProfileNames, parseAskProviders, type IpProfile } from '@mailproof/engine';
import { duration, oneOf, readableFile, usually, usuallyNone, type Setting } from './setting.ts';

/** The settings of how providers are treated. They are part of the table in config.ts. */
export type ProviderConfig = {
  providersFile: string | undefined;
  /** Providers that are not asked. */
  providersLeftOut: string[];
  pacing: 'on' | 'off';
  ipProfile: IpProfile;
  /** How long a conclusive answer of a mail host is given again. */
  reuseMs: number;
};

export const providerSettings: { readonly [Name in keyof ProviderConfig]: Setting<ProviderConfig[Name]> } = {
  providersFile: {
    names: ['MAILPROOF_PROVIDERS_FILE'],
    meaning: 'limits, routes and probe/skip per provider, over the built-in table',
    ...usuallyNone,
    ...readableFile,
  },
  providersLeftOut: {
    names: ['MAILPROOF_ASK_PROVIDERS'],
    meaning:
      'which providers are asked: all, those whose policy permits it, or all but some; the others are `unknown`, free of charge',
    defaultText: 'all',
    defaultValue: () => [],
    mayBe: askProvidersMayBe,
    parse: parseAskProviders,
  },
  pacing: {
    names: ['MAILPROOF_PACING'],
    meaning: 'off lifts the limits of rate and concurrency per destination (tests, private networks)',
    ...usually('on'),
    ...oneOf('on', 'off'),
  },
  ipProfile: {
    names: ['MAILPROOF_IP_PROFILE'],
    meaning:
      'what receivers know of the egress addresses: new (warm-up, 5 new connections/s), established (50/s, burst 200), private (no limit over all destinations)',
    ...usually('established'),
    ...oneOf(...ipProfileNames),
  },
  reuseMs: {
    names: ['MAILPROOF_REUSE_MS'],
    meaning: "how long a mail host's conclusive answer is given again; 0: never",
    ...usually(600_000),
    ...duration(0, 86_400_000),
  },
};
