import { isPublicSuffix } from '../lists/domain-family.ts';
import { nearestName } from '../nearest-name.ts';
import { providerNamed, providerTable } from '../replies/providers.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { politenessTable } from './built-in-policies.ts';
import { groupOf } from './create-policy-book.ts';
import type { PolicyFile, ProviderSetting, Politeness } from './policy.ts';
import { egressName, readRoute } from './read-route.ts';
import {
  jsonFault,
  fields,
  inside,
  isObject,
  listed,
  listOf,
  note,
  oneOf,
  shown,
  textReader,
  trueOrFalse,
  wholeNumber,
  type Place,
  type Reader,
} from './read-value.ts';

/** How much a providers file may hold. */
export const policyFileBounds = {
  characters: 1_048_576,
  providers: 10_000,
  routes: 100,
  canaries: 10,
  controls: 5,
} as const;

/** The bounds for the numbers of a spread provider; `docs/providers.md` prints them. */
export const spreadBounds = { spread: [1, 100], connectionsPerMinuteInAll: [1, 1_000_000] } as const;

export type ReadPolicyFile = { kind: 'ok'; file: PolicyFile } | { kind: 'bad'; line: string };

/**
 * Reads the operator's providers file, whole or not at all: an ignored mistake could mean that a host is asked that
 * should be left alone. The line names the first mistake, its place, and what may stand there.
 */
export function readPolicyFile(text: string): ReadPolicyFile {
  const { characters } = policyFileBounds;
  if (text.length > characters) return bad(`the file is longer than ${characters} characters`);
  const json = text.replace(/^\ufeff/u, '');
  const fault = jsonFault(json);
  if (fault !== undefined) return bad(`the file ${fault}`);
  const place: Place = { path: '', mistakes: [] };
  const file = readFile(JSON.parse(json), place);
  const [mistake] = place.mistakes;
  if (mistake !== undefined) return bad(mistake);
  if (file === null) throw new Error('a reader refused a value without a word');
  return { kind: 'ok', file };
}

function bad(line: string): ReadPolicyFile {
  return { kind: 'bad', line };
}

function readFile(value: unknown, place: Place): PolicyFile | null {
  const stated = fileFields(value, place);
  if (stated === null) return null;
  const { providers = new Map(), routes = [], canaries = [] } = stated;
  const ids = routes.map(({ id }) => id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (repeated !== -1) {
    return note(
      inside(place, `.routes[${repeated}].id`),
      `is "${ids[repeated]}", the same as another route's`,
    );
  }
  checkRoutes(providers, { place, known: ids.length === 0 ? ['default'] : ids });
  return { providers, routes, canaries };
}

/**
 * Checks that a provider is bound to existing routes only: otherwise it could never be asked. Probers elsewhere come
 * and go: theirs pass.
 */
function checkRoutes(
  providers: PolicyFile['providers'],
  { place, known }: { place: Place; known: readonly string[] },
): void {
  for (const [name, { routes = [] }] of providers) {
    const missing = routes.find((id) => !known.includes(id) && !id.includes('/'));
    if (missing === undefined) continue;
    note(inside(place, `.providers${step(name)}.routes`), `has "${missing}"; there may be ${listed(known)}`);
  }
}

const politenessFields: Reader<Partial<Politeness>> = fields({
  conversationsPerAddress: wholeNumber(...politenessTable.conversationsPerAddress.bounds),
  conversationsPerNetwork: wholeNumber(...politenessTable.conversationsPerNetwork.bounds),
  conversationsPerGroup: wholeNumber(...politenessTable.conversationsPerGroup.bounds),
  conversationsPerGroupAtMost: wholeNumber(...politenessTable.conversationsPerGroupAtMost.bounds),
  cleanConversationsToGrow: wholeNumber(...politenessTable.cleanConversationsToGrow.bounds),
  connectionsPerSecond: wholeNumber(...politenessTable.connectionsPerSecond.bounds),
  connectionsPerMinute: wholeNumber(...politenessTable.connectionsPerMinute.bounds),
  recipientsPerConversation: wholeNumber(...politenessTable.recipientsPerConversation.bounds),
  refusalsPerConversation: wholeNumber(...politenessTable.refusalsPerConversation.bounds),
  manyUnknownPercent: wholeNumber(...politenessTable.manyUnknownPercent.bounds),
  recipientsPerMinuteIfManyUnknown: wholeNumber(...politenessTable.recipientsPerMinuteIfManyUnknown.bounds),
  mostUnknownPercent: wholeNumber(...politenessTable.mostUnknownPercent.bounds),
  recipientsPerMinuteIfMostUnknown: wholeNumber(...politenessTable.recipientsPerMinuteIfMostUnknown.bounds),
  unknownPercent: wholeNumber(...politenessTable.unknownPercent.bounds),
  unknownPerMinute: wholeNumber(...politenessTable.unknownPerMinute.bounds),
});

const readPoliteness: Reader<Partial<Politeness>> = (value, place) => {
  const stated = politenessFields(value, place);
  const { conversationsPerGroup: start = 0, conversationsPerGroupAtMost: most = Infinity } = stated ?? {};
  if (start <= most) return stated;
  return note(place, `has a conversationsPerGroup of ${start}, above its conversationsPerGroupAtMost`);
};

const providerFields: Reader<ProviderSetting> = fields({
  asking: oneOf('probe', 'skip', 'takes_every_address'),
  politeness: readPoliteness,
  routes: listOf(egressName, { what: 'ids of routes', least: 1, most: policyFileBounds.routes }),
  spread: wholeNumber(...spreadBounds.spread),
  multipliesLimits: trueOrFalse,
  countsUnknown: trueOrFalse,
  connectionsPerMinuteInAll: wholeNumber(...spreadBounds.connectionsPerMinuteInAll),
  controls: listOf(textReader('an email address', emailOf), {
    what: 'email addresses',
    least: 1,
    most: policyFileBounds.controls,
  }),
});

/** Reads a provider. Each egress address that shares it has to have one connection a minute at least. */
const readProvider: Reader<ProviderSetting> = (value, place) => {
  const stated = providerFields(value, place);
  const { spread = 1, connectionsPerMinuteInAll: inAll = Infinity } = stated ?? {};
  if (spread <= inAll) return stated;
  return note(place, `has a connectionsPerMinuteInAll of ${inAll}, below its spread of ${spread}`);
};

function emailOf(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.kind === 'valid' ? parsed.address.email : undefined;
}

const readProviders: Reader<Map<string, ProviderSetting>> = (value, place) => {
  if (!isObject(value)) return note(place, 'is not an object; it may be one with names of providers');
  const entries = Object.entries(value);
  const most = policyFileBounds.providers;
  if (entries.length > most) return note(place, `has ${entries.length} names; there may be ${most}`);
  const providers = new Map<string, ProviderSetting>();
  for (const [written, setting] of entries) {
    const named = readProviderName(written);
    if (named.kind === 'bad') return note(place, `has ${shown(written)}, ${named.why}`);
    if (providers.has(named.name)) return note(place, `has "${named.name}" twice, in two spellings`);
    const read = readProvider(setting, inside(place, step(named.name)));
    if (read === null) return null;
    // Their result is true of a provider, whichever of its hosts they live at.
    if (read.controls !== undefined && named.name.startsWith('.'))
      return note(inside(place, step(named.name)), 'has controls; they may stand at a provider or a group');
    providers.set(named.name, read);
  }
  return providers;
};

const fileFields = fields({
  providers: readProviders,
  routes: listOf(readRoute, { what: 'routes', least: 0, most: policyFileBounds.routes }),
  canaries: listOf(textReader('the name of a mail host', canonicalHost), {
    what: 'names of mail hosts',
    least: 0,
    most: policyFileBounds.canaries,
  }),
});

/** A name with dots in it would read as several steps of a path. */
function step(name: string): string {
  return name.includes('.') ? `["${name}"]` : `.${name}`;
}

type ReadProviderName = { kind: 'read'; name: string } | { kind: 'bad'; why: string };

/**
 * Reads the name under which the providers file speaks of mail hosts: a provider of the table, a group, or a suffix
 * that begins with a dot. A name that no host is counted under would do nothing, and the operator would believe a
 * host skipped that is not. So it is refused with the name that would work.
 */
function readProviderName(written: string): ReadProviderName {
  if (written.startsWith('.')) return readSuffix(written);
  return written.includes('.') ? readGroup(written) : readProviderId(written);
}

/** Reads a suffix. It may be a single label, which a host may not; one more in front makes a host of any suffix. */
function readSuffix(written: string): ReadProviderName {
  const host = canonicalHost(`mx${written}`);
  return host === undefined
    ? badName('which is not a suffix of a host name')
    : readName(host.slice('mx'.length));
}

function readGroup(written: string): ReadProviderName {
  const host = canonicalHost(written);
  if (host === undefined) return badName('which is not a host name');
  if (isPublicSuffix(host)) return badName(`which is not a group; for all hosts below it write ".${host}"`);
  const group = groupOf(host);
  if (group === host) return readName(host);
  return badName(
    `whose hosts are counted under "${group}"; write that, or ".${host}" for only the hosts with that name`,
  );
}

function readProviderId(written: string): ReadProviderName {
  const name = written.trim().toLowerCase();
  const ids: readonly string[] = providerTable.map(({ id }) => id);
  if (ids.includes(name)) return readName(name);
  const meant = providerNamed(name) ?? nearestName(name.slice(0, 80), ids);
  const hint =
    meant === undefined
      ? 'docs/providers.md lists them, and a suffix of mail hosts begins with a dot'
      : `did you mean "${meant}"?`;
  return badName(`which is not a known provider; ${hint}`);
}

function readName(name: string): ReadProviderName {
  return { kind: 'read', name };
}

function badName(why: string): ReadProviderName {
  return { kind: 'bad', why };
}
