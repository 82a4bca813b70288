import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { parseAddress } from '@mailproof/engine';
import { textOf } from './read-setting.ts';
import { heloName, listOf, oneOf, senderAddress, usually, usuallyNone, type Setting } from './setting.ts';
import { thisHostName, usualDataDir } from './usual-values.ts';

/** The settings of our identity towards mail hosts. They are part of the table in config.ts. */
export type IdentityConfig = {
  heloName: string;
  mailFrom: string;
  /** The addresses that mail hosts see, if they are not addresses of this machine. */
  publicAddresses: string[];
  identityCheck: 'on' | 'off';
  /** The contact for receivers of our connections; without it there is no page about this host. */
  aboutContact: string | undefined;
  optOutFile: string;
};

/** Shown to strangers as a link, so it must be a valid link. */
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
    meaning: 'name in our HELO; it must resolve to the public address of this machine',
    defaultText: "this host's name",
    defaultValue: () => thisHostName(),
    ...heloName,
  },
  mailFrom: {
    names: ['MAILPROOF_MAIL_FROM'],
    meaning: 'sender of our questions; its domain must take mail',
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
      'mail address or URL for owners of mail servers; with it, /about-this-host and / under the HELO name say who asks and how to opt out',
    ...usuallyNone,
    ...contact,
  },
  optOutFile: {
    names: ['MAILPROOF_OPT_OUT_FILE'],
    meaning:
      'domains whose mail servers are never asked at their owners’ wish, one a line, with subdomains and mail servers under them; written by `mailproof opt-outs`, read again when it changes',
    defaultText: 'opt-outs.txt in the data directory',
    defaultValue: (env) => {
      const dataDir = textOf(env, 'MAILPROOF_DATA_DIR');
      return join(dataDir === undefined ? usualDataDir() : resolve(dataDir), 'opt-outs.txt');
    },
    mayBe: 'the path of a file, which may be missing while nobody has opted out',
    parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
  },
};

/** Parses an address without a zone: a zone names an interface of this machine, which other hosts cannot see. */
function ipAddress(text: string): string | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : text.toLowerCase();
}
