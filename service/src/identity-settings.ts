import { isIP } from 'node:net';
import { textOf } from './read-setting.ts';
import { heloName, listOf, oneOf, senderAddress, usually, type Setting } from './setting.ts';
import { thisHostName } from './usual-values.ts';

/** The settings of who we are to mail hosts. They are part of the table in config.ts. */
export type IdentityConfig = {
  heloName: string;
  mailFrom: string;
  /** Where mail hosts see connections come from, if that is not an address of this machine. */
  publicAddresses: string[];
  identityCheck: 'on' | 'off';
};

export const identitySettings: { readonly [Name in keyof IdentityConfig]: Setting<IdentityConfig[Name]> } = {
  heloName: {
    names: ['MAILPROOF_HELO_NAME'],
    meaning: 'name we introduce ourselves by; it must resolve to the public address of this machine',
    defaultText: "this host's name",
    defaultValue: () => thisHostName(),
    ...heloName,
  },
  mailFrom: {
    names: ['MAILPROOF_MAIL_FROM'],
    meaning: 'sender we ask with; its domain must take mail',
    defaultText: 'verify@ that name',
    defaultValue: (env) =>
      `verify@${heloName.parse(textOf(env, 'MAILPROOF_HELO_NAME') ?? '') ?? thisHostName()}`,
    ...senderAddress,
  },
  publicAddresses: {
    names: ['MAILPROOF_PUBLIC_ADDRESS'],
    meaning:
      'address that mail hosts see our connections come from, if NAT hides it from this machine; a route of the providers file may state its own',
    defaultText: "this machine's own public addresses",
    defaultValue: () => [],
    ...listOf('IP addresses such as 192.0.2.1', ipAddress),
  },
  identityCheck: {
    names: ['MAILPROOF_IDENTITY_CHECK'],
    meaning:
      'off: public mail hosts are asked under any HELO name and sender, even if neither can be looked up',
    ...usually('on'),
    ...oneOf('on', 'off'),
  },
};

/** A zone would name an interface of this machine, which nobody else sees. */
function ipAddress(text: string): string | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : text.toLowerCase();
}
