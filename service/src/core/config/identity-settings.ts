import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { parseAddress } from '@mailproof/engine';
import { textOf } from './read-setting.ts';
import { heloName, listOf, oneOf, senderAddress, usually, usuallyNone, type Setting } from './setting.ts';
import { thisHostName, usualDataDir } from './usual-values.ts';

/** The settings of who we are to mail hosts. They are part of the table in config.ts. */
export type IdentityConfig = {
  heloName: string;
  mailFrom: string;
  /** Where mail hosts see connections come from, if that is not an address of this machine. */
  publicAddresses: string[];
  identityCheck: 'on' | 'off';
  /** Whom a receiver may write to; without it there is no page about this host. */
  aboutContact: string | undefined;
  optOutFile: string;
};

/** Shown to strangers as a link, so only what a link may be. */
const contact = {
  mayBe: 'a mail address such as abuse@example.com, or an https URL',
  parse: (text: string): string | undefined => {
    const parsed = parseAddress(text);
    if (parsed.kind === 'valid') return parsed.address.email;
    const url = URL.parse(text);
    return url?.protocol === 'https:' && url.username === '' ? url.href : undefined;
  },
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
  aboutContact: {
    names: ['MAILPROOF_ABOUT_CONTACT'],
    meaning:
      'mail address or URL that the owners of mail servers may turn to; with it, /about-this-host and / under the HELO name say who asks and how to opt out',
    ...usuallyNone,
    ...contact,
  },
  optOutFile: {
    names: ['MAILPROOF_OPT_OUT_FILE'],
    meaning:
      'domains whose mail servers are never asked because their owners wish so, one a line; subdomains, and mail servers under them, included; written by `mailproof opt-outs`, read again when it changes',
    defaultText: 'opt-outs.txt in the data directory',
    defaultValue: (env) => {
      const dataDir = textOf(env, 'MAILPROOF_DATA_DIR');
      return join(dataDir === undefined ? usualDataDir() : resolve(dataDir), 'opt-outs.txt');
    },
    mayBe: 'the path of a file, which may be missing while nobody has opted out',
    parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
  },
};

/** A zone would name an interface of this machine, which nobody else sees. */
function ipAddress(text: string): string | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : text.toLowerCase();
}
