import { fileURLToPath } from 'node:url';
import { describeSettings, type SettingRow } from '../../../test/support/setting-promises.ts';
import { providerSettings, type ProviderConfig } from './provider-settings.ts';

const file = fileURLToPath(import.meta.url);

const rows: Record<keyof ProviderConfig, SettingRow> = {
  providersFile: { usual: undefined, good: [[file, file]], bad: [`${file}.missing`, import.meta.dirname] },
  providersLeftOut: {
    usual: [],
    good: [
      ['all', []],
      ['permitted', ['outlook']],
      ['-outlook, -microsoft', ['outlook', 'microsoft']],
    ],
    bad: ['none', 'outlook', '-nobody', '-outlook,', 'all,-google'],
  },
  pacing: { usual: 'on', good: [['off', 'off']], bad: ['false', 'no'] },
  ipProfile: {
    usual: 'established',
    good: [
      ['new', 'new'],
      ['private', 'private'],
    ],
    bad: ['old', 'New'],
  },
  reuseMs: {
    usual: 600_000,
    good: [
      ['0', 0],
      ['1000', 1_000],
      ['10m', 600_000],
    ],
    bad: ['-1', 'never', '86400001', '25h'],
  },
};

describeSettings(providerSettings, rows);
