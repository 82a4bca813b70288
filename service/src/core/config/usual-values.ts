import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { canonicalHost, parseCidr, type Cidr } from '@mailproof/engine';
import { listOf } from './setting.ts';

/** HELO and addresses need a name of two labels; `localdomain` adds one without claiming a public name. */
export function thisHostName(): string {
  const name = hostname().replace(/\.$/, '');
  return canonicalHost(name) ?? canonicalHost(`${name}.localdomain`) ?? 'localhost.localdomain';
}

/** An installed package is replaced as a whole at an upgrade, so nothing may be kept inside it. */
export function usualDataDir(): string {
  const isInstalled = import.meta.dirname.includes('/node_modules/');
  return resolve(isInstalled ? process.cwd() : resolve(import.meta.dirname, '../../../..'), 'data');
}

/** A setting that names blocks of addresses, none unless set. */
export const cidrBlocks = {
  defaultText: null,
  defaultValue: (): Cidr[] => [],
  ...listOf('CIDR blocks such as 10.0.0.0/8', parseCidr),
};
