import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSettings, type SettingRow } from '../../../test/support/setting-promises.ts';
import { identitySettings, type IdentityConfig } from './identity-settings.ts';

const file = fileURLToPath(import.meta.url);

const rows: Record<keyof IdentityConfig, SettingRow> = {
  heloName: {
    usual: expectedHostName(),
    good: [['Mail.Example.com', 'mail.example.com']],
    bad: ['localhost', 'a..example', '[192.0.2.1]', 'a b.example'],
  },
  mailFrom: {
    usual: `verify@${expectedHostName()}`,
    good: [
      ['probe@Example.com', 'probe@example.com'],
      ['x@bücher.example', 'x@xn--bcher-kva.example'],
    ],
    bad: ['example.com', '<>', 'a@b', 'jörg@example.com', 'Ada <ada@example.com>'],
  },
  publicAddresses: {
    usual: [],
    good: [
      ['192.0.2.1', ['192.0.2.1']],
      ['192.0.2.1, 2001:DB8::25', ['192.0.2.1', '2001:db8::25']],
    ],
    bad: ['mail.example.com', '192.0.2.1/32', '192.0.2.1,', 'fe80::1%eth0'],
  },
  identityCheck: {
    usual: 'on',
    good: [['off', 'off']],
    bad: ['false', 'no'],
  },
  aboutContact: {
    usual: undefined,
    good: [
      ['abuse@example.com', 'abuse@example.com'],
      ['https://example.com/contact', 'https://example.com/contact'],
    ],
    bad: ['javascript:alert(1)', 'http://example.com', 'abuse', 'https://'],
  },
  optOutFile: {
    usual: resolve(import.meta.dirname, '../../../../data/opt-outs.txt'),
    good: [[file, file]],
    bad: ['a\0b'],
  },
};

function expectedHostName(): string {
  const name = hostname().toLowerCase();
  return name.includes('.') ? name : `${name}.localdomain`;
}

describeSettings(identitySettings, rows);
