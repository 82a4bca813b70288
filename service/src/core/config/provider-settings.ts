import { askProvidersMayBe, ipProfileNames, parseAskProviders, type IpProfile } from '@mailproof/engine';
import { duration, oneOf, readableFile, usually, usuallyNone, type Setting } from './setting.ts';

/** The settings for the treatment of providers. They are part of the table in config.ts. */
export type ProviderConfig = {
  providersFile: string | undefined;
  /** Providers that are not asked. */
  providersLeftOut: string[];
  pacing: 'on' | 'off';
  ipProfile: IpProfile;
  /** How long a conclusive answer of a mail host is reused. */
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
    meaning: 'off removes the limits of rate and concurrency per destination (tests, private networks)',
    ...usually('on'),
    ...oneOf('on', 'off'),
  },
  ipProfile: {
    names: ['MAILPROOF_IP_PROFILE'],
    meaning:
      'reputation of the egress addresses at receivers: new (warm-up, 5 new connections/s), established (50/s, burst 200), private (no limit over all destinations)',
    ...usually('established'),
    ...oneOf(...ipProfileNames),
  },
  reuseMs: {
    names: ['MAILPROOF_REUSE_MS'],
    meaning: "time for which a mail host's conclusive answer is reused; 0: never",
    ...usually(600_000),
    ...duration(0, 86_400_000),
  },
};
