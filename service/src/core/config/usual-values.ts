import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { canonicalHost, parseCidr, type Cidr } from '@mailproof/engine';
import { listOf } from './setting.ts';

/**
 * Returns this host's name with at least two labels, as HELO and addresses need; `localdomain` claims no public
 * name.
 */
export function thisHostName(): string {
  const name = hostname().replace(/\.$/, '');
  return canonicalHost(name) ?? canonicalHost(`${name}.localdomain`) ?? 'localhost.localdomain';
}

/**
 * Returns the default data directory. An upgrade replaces an installed package as a whole, so the directory is
 * outside it.
 */
export function usualDataDir(): string {
  const isInstalled = import.meta.dirname.includes('/node_modules/');
  return resolve(isInstalled ? process.cwd() : resolve(import.meta.dirname, '../../../..'), 'data');
}

/** A setting that names blocks of addresses; empty by default. */
export const cidrBlocks = {
  defaultText: null,
  defaultValue: (): Cidr[] => [],
  ...listOf('CIDR blocks such as 10.0.0.0/8', parseCidr),
};
