import { accessSync, constants, fstatSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { canonicalHost, parseAddress } from '@mailproof/engine';

/** The environment as a process gets it. */
export type Environment = Record<string, string | undefined>;

/** One setting as data: what it is called, what it is for, and how its text is read. */
export type Setting<Value> = {
  /** The name it has in the documentation, then others it may be given under; the first that is set counts. */
  names: readonly [string, ...string[]];
  meaning: string;
  /** Ends the sentence "it may be …". */
  mayBe: string;
  /** The default in words, or null where there is none. */
  defaultText: string | null;
  /** The default in force; some depend on other settings. */
  defaultValue(env: Environment): Value;
  /** The value, or nothing where the text is not allowed. */
  parse(text: string): NonNullable<Value> | undefined;
  /** Present where the text must not be shown as it is. */
  mask?(text: string): string;
};

export const usuallyNone = { defaultText: null, defaultValue: () => undefined };

export function usually<Value extends string | number>(
  value: Value,
): Pick<Setting<Value>, 'defaultText' | 'defaultValue'> {
  return { defaultText: String(value), defaultValue: () => value };
}

/** What a kind of value is: the part of a setting that others of its kind have in common. */
type Kind<Value> = { mayBe: string; parse(text: string): Value | undefined };

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    mayBe: `a whole number from ${least} to ${most}`,
    parse: (text) => {
      if (!/^\d{1,15}$/.test(text)) return undefined;
      const value = Number(text);
      return value >= least && value <= most ? value : undefined;
    },
  };
}

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time in milliseconds, or with its unit: 10s, 30m, 15d. */
export function duration(leastMs: number, mostMs: number): Kind<number> {
  const ms = wholeNumber(leastMs, mostMs);
  return {
    mayBe: `a duration from ${withUnit(leastMs)} to ${withUnit(mostMs)} (units ms, s, m, h, d, as in 10s or 30m; a number alone is milliseconds)`,
    parse: (text) => {
      const { count = '', unit = 'ms' } = /^(?<count>\d{1,15})(?<unit>ms|[smhd])?$/.exec(text)?.groups ?? {};
      return count === ''
        ? undefined
        : ms.parse(String(Number(count) * unitsMs[unit as keyof typeof unitsMs]));
    },
  };
}

/** Written in the largest unit that leaves a whole number. */
function withUnit(ms: number): string {
  const [unit, unitMs] = Object.entries(unitsMs).findLast(([, size]) => ms % size === 0) ?? ['ms', 1];
  return ms === 0 ? '0' : `${ms / unitMs}${unit}`;
}

export function oneOf<const Choice extends string>(...choices: Choice[]): Kind<Choice> {
  return {
    mayBe: choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** Items separated by commas; one bad item makes the list invalid, so that none is silently ignored. */
export function listOf<Item>(what: string, parseItem: (text: string) => Item | undefined): Kind<Item[]> {
  return {
    mayBe: `${what}, comma-separated`,
    parse: (text) => {
      const items = text.split(',').map((item) => parseItem(item.trim()));
      const good = items.filter((item) => item !== undefined);
      return good.length === items.length ? good : undefined;
    },
  };
}

/** The same, or the word `none` for no item at all. */
export function listOrNone<Item>(what: string, parseItem: (text: string) => Item | undefined): Kind<Item[]> {
  const list = listOf(what, parseItem);
  return {
    mayBe: `${list.mayBe}, or none`,
    parse: (text) => (text === 'none' ? [] : list.parse(text)),
  };
}

/** A file that exists and can be read when the setting is read; relative paths start at the caller's directory. */
export const readableFile: Kind<string> = {
  mayBe: 'the path of a file that can be read',
  parse: (text) => {
    const path = resolve(text);
    try {
      accessSync(path, constants.R_OK);
      return statSync(path).isFile() ? path : undefined;
    } catch {
      return undefined;
    }
  },
};

export const directory: Kind<string> = {
  mayBe: 'the path of a directory, which is made when it is missing',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
};

export const listenAddress: Kind<string> = {
  mayBe: 'an IP address or a host name of this machine',
  parse: (text) =>
    isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) ? text : undefined,
};

/** Letters that mean the same encoded or not, so that a path has one spelling; no empty segment, no `..`. */
export const urlPath: Kind<string> = {
  mayBe: 'a path such as /mailproof: letters, digits and -._~ between slashes, none at the end',
  parse: (text) => (text.length <= 200 && /^(?:\/[\w~-][\w.~-]*)+$/.test(text) ? text : undefined),
};

export const heloName: Kind<string> = {
  mayBe: 'a full host name such as mail.example.com',
  parse: (text) => canonicalHost(text),
};

/**
 * The sender in the form it has on the wire. A sender that needs SMTPUTF8 is refused: most hosts do not
 * offer it, and to them every address would end as unknown.
 */
export const senderAddress: Kind<string> = {
  mayBe: 'an address such as verify@example.com, its local part in ASCII',
  parse: (text) => {
    const parsed = parseAddress(text);
    if (parsed.kind === 'invalid' || parsed.address.needsSmtputf8) return undefined;
    return `${parsed.address.localPart}@${parsed.address.host}`;
  },
};

export const postgresUrl: Kind<string> = {
  mayBe: 'a URL such as postgres://user:password@host:5432/database',
  parse: (text) => {
    const url = URL.parse(text);
    if (url === null || url.hostname === '') return undefined;
    return url.protocol === 'postgres:' || url.protocol === 'postgresql:' ? text : undefined;
  },
};

/** A password may stand before the host or among the parameters. */
export function maskPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '***';
  const parameters = [...url.searchParams.keys()].filter((name) => name.includes('password'));
  if (url.password === '' && parameters.length === 0) return text;
  if (url.password !== '') url.password = '***';
  for (const name of parameters) url.searchParams.set(name, '***');
  return url.href;
}

/** A token travels in a header, where only visible ASCII survives. A shorter one than this could be guessed. */
export const token: Kind<string> = {
  mayBe: 'at least 32 letters, digits and signs without spaces, as `openssl rand -hex 32` makes them',
  parse: (text) => (/^[\x21-\x7e]{32,1024}$/.test(text) ? text : undefined),
};

/** systemd names the device and the inode of the journal's stream, which standard output may or may not be. */
export function writesToJournal({ JOURNAL_STREAM: stream }: Environment): boolean {
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(1);
  return stream === `${dev}:${ino}`;
}
