import type { Lookup, Resolver } from '../dns/lookup.ts';
import { blockAround, holds, parseIp, type Ip } from '../ip-address.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalHost, canonicalMailHost } from '../syntax/canonical-host.ts';

/**
 * Whether a domain lets an IP address send for it: `check_host` of RFC 7208, for `doctor`. All mechanisms are
 * evaluated but `ptr`, which is deprecated and matches no address here (section 5.5). `exp` is of no use without a
 * message.
 *
 * A record may cause more and more lookups. So there are limits: ten terms that look something up, two lookups that
 * find nothing, ten names of an `mx` (section 4.6.4).
 */
type SpfResult = {
  result: 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';
  /** The deciding part: the mechanism that matched, or the fault. */
  by: string;
};

type SpfQuestion = { ip: string; domain: string; sender: string; heloName: string };

type SpfResolver = Pick<Resolver, 'text' | 'ipv4' | 'ipv6' | 'mx'>;

type Evaluation = {
  question: SpfQuestion;
  ip: Ip;
  resolver: SpfResolver;
  patience: Patience;
  lookupsLeft: number;
  voidLookupsLeft: number;
};

const mostLookups = 10;
const mostVoidLookups = 2;
const mostExchanges = 10;

/** Ends the evaluation wherever it is. */
class SpfError extends Error {
  readonly result: 'temperror' | 'permerror';
  constructor(result: 'temperror' | 'permerror', why: string) {
    super(why);
    this.result = result;
  }
}

export async function evaluateSpf(
  question: SpfQuestion,
  resolver: SpfResolver,
  patience: Patience,
): Promise<SpfResult> {
  const ip = parseIp(question.ip);
  if (ip === undefined) throw new TypeError(`${question.ip} is no IP address`);
  const evaluation: Evaluation = {
    question,
    ip,
    resolver,
    patience,
    lookupsLeft: mostLookups,
    voidLookupsLeft: mostVoidLookups,
  };
  try {
    return await checkHost(question.domain, evaluation);
  } catch (error) {
    if (error instanceof SpfError) return { result: error.result, by: error.message };
    throw error;
  }
}

const results = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const;

async function checkHost(domain: string, evaluation: Evaluation): Promise<SpfResult> {
  const record = await findRecord(domain, evaluation);
  if (record === undefined) return { result: 'none', by: `${domain} has no SPF record` };
  const { mechanisms, redirect } = readTerms(record, domain);
  for (const mechanism of mechanisms)
    if (await matches(mechanism, domain, evaluation))
      return { result: results[mechanism.qualifier], by: `${mechanism.text} of ${domain}` };
  if (redirect === undefined) return { result: 'neutral', by: `nothing in the record of ${domain} matches` };
  countLookup(evaluation);
  const target = expand(redirect, domain, evaluation);
  const found = await checkHost(target, evaluation);
  if (found.result === 'none')
    throw new SpfError('permerror', `redirect=${target} leads to a domain without an SPF record`);
  return found;
}

async function findRecord(domain: string, { resolver, patience }: Evaluation): Promise<string | undefined> {
  const name = nameOf(domain);
  if (name === undefined) return undefined;
  const lookup = await resolver.text(name, patience);
  if (lookup.kind === 'failed') throw new SpfError('temperror', `${domain} could not be looked up`);
  const records =
    lookup.kind === 'found' ? lookup.records.filter((text) => /^v=spf1(?: |$)/i.test(text)) : [];
  if (records.length > 1) throw new SpfError('permerror', `${domain} has ${records.length} SPF records`);
  return records[0];
}

type Mechanism = {
  qualifier: keyof typeof results;
  name: string;
  /** After the colon: a domain, or an address. */
  value: string | undefined;
  /** Prefix lengths of `a` and `mx`. */
  bits: { 4: number; 6: number };
  text: string;
};

const mechanismPattern =
  /^(?<qualifier>[+?~-])?(?<name>all|include|a|mx|ptr|ip4|ip6|exists)(?::(?<value>[^/\s]*(?:\/(?!\d|\/)[^/\s]*)*))?(?<cidr>(?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/i;

/** Reads every term first: one that is wrong spoils the record, even behind a match (section 4.6). */
function readTerms(
  record: string,
  domain: string,
): { mechanisms: Mechanism[]; redirect: string | undefined } {
  const mechanisms: Mechanism[] = [];
  const redirects: string[] = [];
  for (const text of record
    .split(/ +/)
    .slice(1)
    .filter((term) => term !== '')) {
    const modifier = /^(?<name>[a-z][\w.-]*)=(?<value>.*)$/i.exec(text)?.groups;
    if (modifier !== undefined) {
      if (modifier['name']?.toLowerCase() === 'redirect') redirects.push(modifier['value'] ?? '');
      continue;
    }
    const mechanism = readMechanism(text);
    if (mechanism === undefined)
      throw new SpfError(
        'permerror',
        `${JSON.stringify(text.slice(0, 60))} in the record of ${domain} is no term of SPF`,
      );
    mechanisms.push(mechanism);
  }
  if (redirects.length > 1) throw new SpfError('permerror', `${domain} has more than one redirect`);
  const hasAll = mechanisms.some(({ name }) => name === 'all');
  return { mechanisms, redirect: hasAll ? undefined : redirects[0] };
}

function readMechanism(text: string): Mechanism | undefined {
  const groups = mechanismPattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const name = (groups['name'] ?? '').toLowerCase();
  const qualifier = (groups['qualifier'] ?? '+') as Mechanism['qualifier'];
  const cidr = groups['cidr'] ?? '';
  const value = groups['value'];
  if (name === 'ip4' || name === 'ip6') {
    const block = value === undefined || cidr.startsWith('//') ? undefined : parseLoosely(`${value}${cidr}`);
    if (block === undefined || block.family !== (name === 'ip4' ? 4 : 6)) return undefined;
    return { qualifier, name, value: `${value}${cidr}`, bits: { 4: 32, 6: 128 }, text };
  }
  const [, bits4 = '32'] = /^\/(\d+)/.exec(cidr) ?? [];
  const [, bits6 = '128'] = /\/\/(\d+)$/.exec(cidr) ?? [];
  const bits = { 4: Number(bits4), 6: Number(bits6) };
  const needsValue = name === 'include' || name === 'exists';
  const takesCidr = name === 'a' || name === 'mx';
  const isWrong =
    bits[4] > 32 ||
    bits[6] > 128 ||
    value === '' ||
    (needsValue && value === undefined) ||
    (name === 'all' && value !== undefined) ||
    (cidr !== '' && !takesCidr);
  return isWrong ? undefined : { qualifier, name, value, bits, text };
}

/** Bits after the prefix may be set here, unlike in our own settings. */
function parseLoosely(text: string) {
  const [address = '', length] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  const width = ip.family === 4 ? 32 : 128;
  const bits = length === undefined ? width : Number(length);
  if (bits > width) return undefined;
  return blockAround(ip, bits);
}

async function matches(mechanism: Mechanism, domain: string, evaluation: Evaluation): Promise<boolean> {
  const { name, value, bits } = mechanism;
  switch (name) {
    case 'all':
      return true;
    case 'ip4':
    case 'ip6': {
      const block = parseLoosely(value ?? '');
      return block !== undefined && holds(block, evaluation.ip);
    }
    case 'include':
      return matchesInclude(expandCounted(value, domain, evaluation), evaluation);
    case 'a':
      return isAmong(
        await addressesOf(expandCounted(value, domain, evaluation), evaluation),
        bits,
        evaluation.ip,
      );
    case 'mx':
      return matchesMx(expandCounted(value, domain, evaluation), bits, evaluation);
    case 'exists': {
      // Always an A lookup, whatever the family of the address (section 5.7).
      const target = expandCounted(value, domain, evaluation);
      return (await recordsOf(target, 'ipv4', evaluation)).length > 0;
    }
    default:
      countLookup(evaluation);
      return false;
  }
}

/** An included record counts as a match only if its result is a pass (section 5.2). */
async function matchesInclude(target: string, evaluation: Evaluation): Promise<boolean> {
  const { result } = await checkHost(target, evaluation);
  if (result === 'none')
    throw new SpfError('permerror', `include:${target} leads to a domain without an SPF record`);
  return result === 'pass';
}

async function matchesMx(target: string, bits: Mechanism['bits'], evaluation: Evaluation): Promise<boolean> {
  const name = nameOf(target);
  const lookup =
    name === undefined ? undefined : await evaluation.resolver.mx(name as CanonicalHost, evaluation.patience);
  const exchanges = known(lookup, target, evaluation).map(({ exchange }) => exchange.replace(/\.$/, ''));
  if (exchanges.length > mostExchanges)
    throw new SpfError('permerror', `${target} has more than ${mostExchanges} mail servers`);
  for (const exchange of exchanges)
    if (isAmong(await addressesOf(exchange, evaluation), bits, evaluation.ip)) return true;
  return false;
}

function addressesOf(target: string, evaluation: Evaluation): Promise<string[]> {
  return recordsOf(target, evaluation.ip.family === 4 ? 'ipv4' : 'ipv6', evaluation);
}

async function recordsOf(target: string, type: 'ipv4' | 'ipv6', evaluation: Evaluation): Promise<string[]> {
  const name = nameOf(target);
  if (name === undefined) return known<string>(undefined, target, evaluation);
  // Names with an underscore are asked for as they are.
  return known(
    await evaluation.resolver[type](name as CanonicalHost, evaluation.patience),
    target,
    evaluation,
  );
}

/** A lookup that finds nothing counts against the record; one that fails ends the evaluation. */
function known<Found>(lookup: Lookup<Found> | undefined, target: string, evaluation: Evaluation): Found[] {
  if (lookup?.kind === 'failed') throw new SpfError('temperror', `${target} could not be looked up`);
  if (lookup?.kind === 'found' && lookup.records.length > 0) return lookup.records;
  evaluation.voidLookupsLeft -= 1;
  if (evaluation.voidLookupsLeft < 0)
    throw new SpfError('permerror', `more than ${mostVoidLookups} lookups of the record find nothing`);
  return [];
}

function isAmong(addresses: readonly string[], bits: Mechanism['bits'], ip: Ip): boolean {
  return addresses.some((address) => {
    const block = parseLoosely(`${address}/${bits[ip.family]}`);
    return block !== undefined && holds(block, ip);
  });
}

function countLookup(evaluation: Evaluation): void {
  evaluation.lookupsLeft -= 1;
  if (evaluation.lookupsLeft < 0)
    throw new SpfError('permerror', `the record needs more than ${mostLookups} lookups`);
}

function expandCounted(value: string | undefined, domain: string, evaluation: Evaluation): string {
  countLookup(evaluation);
  return value === undefined ? domain : expand(value, domain, evaluation);
}

function expand(value: string, domain: string, { question, ip }: Evaluation): string {
  const expanded = expandMacros(value, { ...question, domain, ip });
  if (expanded === undefined) throw new SpfError('permerror', `${value} has a malformed macro`);
  return expanded;
}

/** Records about hosts may stand under names with underscores (RFC 8552). */
function nameOf(domain: string): CanonicalHost | `_${string}` | undefined {
  const text = domain.replace(/\.$/, '').toLowerCase();
  const host = canonicalHost(text) ?? canonicalMailHost(text);
  if (host !== undefined) return host;
  return /^_[a-z0-9_.-]{1,252}$/.test(text) ? (text as `_${string}`) : undefined;
}

/** Values of the macros; `domain` is the one whose record is read. */
type MacroValues = { ip: Ip; domain: string; sender: string; heloName: string };

/** Expands the macros of a domain in an SPF record (RFC 7208 section 7); undefined if one is malformed. */
function expandMacros(text: string, values: MacroValues): string | undefined {
  const bad: string[] = [];
  const expanded = text.replace(/%(?:[%_-]|\{(?<inside>[^}]*)\})?/g, (whole, inside: string | undefined) => {
    if (whole === '%%') return '%';
    if (whole === '%_') return ' ';
    if (whole === '%-') return '%20';
    const value = inside === undefined ? undefined : expandOne(inside, values);
    if (value === undefined) bad.push(whole);
    return value ?? '';
  });
  return bad.length > 0 ? undefined : expanded;
}

function expandOne(inside: string, values: MacroValues): string | undefined {
  const groups = /^(?<letter>[slodiphv])(?<digits>\d*)(?<reverse>r?)(?<delimiters>[.+,/_=-]*)$/i.exec(
    inside,
  )?.groups;
  if (groups === undefined || groups['digits'] === '0') return undefined;
  const { letter = '', digits = '', reverse = '', delimiters = '' } = groups;
  const parts = valueOf(letter.toLowerCase(), values).split(new RegExp(`[${escaped(delimiters || '.')}]`));
  if (reverse !== '') parts.reverse();
  return (digits === '' ? parts : parts.slice(-Number(digits))).join('.');
}

function escaped(characters: string): string {
  return characters.replace(/[-.+/]/g, '\\$&');
}

function valueOf(letter: string, { ip, domain, sender, heloName }: MacroValues): string {
  const at = sender.lastIndexOf('@');
  switch (letter) {
    case 's':
      return sender;
    case 'l':
      return sender.slice(0, at);
    case 'o':
      return sender.slice(at + 1);
    case 'd':
      return domain;
    case 'i':
      return dotted(ip);
    case 'v':
      return ip.family === 4 ? 'in-addr' : 'ip6';
    case 'h':
      return heloName;
    default:
      // The validated name of the client: not looked up, and then it is "unknown" (section 7.3).
      return 'unknown';
  }
}

/** IPv6 addresses are written nibble by nibble (section 7.3). */
function dotted({ family, value }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  return Array.from(value.toString(16).padStart(32, '0')).join('.');
}
