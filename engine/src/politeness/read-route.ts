import { parseIp } from '../ip-address.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import type { ProxyRoute, RouteSetting } from './policy.ts';
import {
  fields,
  note,
  inside,
  listOf,
  oneOf,
  secretReader,
  textReader,
  wholeNumber,
  type Reader,
} from './read-value.ts';

/** The bounds for the numbers of a route; `docs/providers.md` prints them. */
export const routeBounds = {
  perMinute: [1, 100_000],
  perDay: [1, 100_000_000],
  startPerDay: [1, 1_000_000],
  doubleEveryDays: [1, 90],
  port: [1, 65_535],
} as const;

const routeId: Reader<string> = textReader(
  'a name of up to 32 small letters, digits, hyphens and underscores',
  (text) => (/^[a-z0-9][a-z0-9_-]{0,31}$/u.test(text) ? text : undefined),
);

/** The id of a route, or one of a prober elsewhere behind the prober's name. */
export const egressName: Reader<string> = textReader(
  'an id of a route, or NAME/ID for one of the prober NAME',
  (text) => (/^(?:[a-z0-9][a-z0-9_-]{0,31}\/)?[a-z0-9][a-z0-9_-]{0,31}$/u.test(text) ? text : undefined),
);

/** `0.0.0.0` and `::` are no address of anything. */
const ipAddress: Reader<string> = textReader('an IP address', (text) => {
  const ip = parseIp(text);
  return ip === undefined || ip.value === 0n ? undefined : text;
});

/** The sender in the form it has on the wire; most hosts would refuse one that needs SMTPUTF8. */
const sender: Reader<string> = textReader('an address such as verify@example.com', (text) => {
  const parsed = parseAddress(text);
  if (parsed.kind === 'invalid' || parsed.address.needsSmtputf8) return undefined;
  return `${parsed.address.localPart}@${parsed.address.host}`;
});

/** RFC 1929 section 2: each is 1 to 255 octets. */
const credential: Reader<string> = secretReader('a text of 1 to 255 bytes', (text) => {
  const bytes = Buffer.byteLength(text);
  return bytes >= 1 && bytes <= 255 ? text : undefined;
});

const proxyFields = fields({
  host: ipAddress,
  port: wholeNumber(...routeBounds.port),
  username: credential,
  password: credential,
});

const proxy: Reader<ProxyRoute['socks5']> = (value, place) => {
  const stated = proxyFields(value, place);
  if (stated === null) return null;
  const { host, port, username, password } = stated;
  if (host === undefined) return note(place, 'has no host');
  if (port === undefined) return note(place, 'has no port');
  if (username === undefined && password === undefined) return { host, port };
  if (username === undefined) return note(place, 'has a password and no username');
  if (password === undefined) return note(place, 'has a username and no password');
  return { host, port, login: { username, password } };
};

const warmUpFields = fields({
  startPerDay: wholeNumber(...routeBounds.startPerDay),
  doubleEveryDays: wholeNumber(...routeBounds.doubleEveryDays),
});

const warmUp: Reader<NonNullable<RouteSetting['warmUp']>> = (value, place) => {
  const stated = warmUpFields(value, place);
  if (stated === null) return null;
  const { startPerDay, doubleEveryDays } = stated;
  if (startPerDay === undefined) return note(place, 'has no startPerDay');
  if (doubleEveryDays === undefined) return note(place, 'has no doubleEveryDays');
  return { startPerDay, doubleEveryDays };
};

const routeFields = fields({
  id: routeId,
  kind: oneOf('direct', 'socks5'),
  localAddress: ipAddress,
  heloName: textReader('a full host name such as mail.example.com', canonicalHost),
  mailFrom: sender,
  publicAddresses: listOf(ipAddress, { what: 'IP addresses', least: 1, most: 4 }),
  socks5: proxy,
  perMinute: wholeNumber(...routeBounds.perMinute),
  perDay: wholeNumber(...routeBounds.perDay),
  warmUp,
});

/** One route of the providers file. */
export const readRoute: Reader<RouteSetting> = (value, place) => {
  const stated = routeFields(value, place);
  if (stated === null) return null;
  const { id, kind, localAddress, socks5, ...manners } = stated;
  if (id === undefined) return note(place, 'has no id');
  if (kind === undefined) return note(place, 'has no kind; it may be "direct" or "socks5"');
  if (manners.warmUp !== undefined && (manners.perDay ?? 0) < manners.warmUp.startPerDay) {
    return note(place, 'warms up, so it needs a perDay to grow to, not below startPerDay');
  }
  switch (kind) {
    case 'direct':
      if (socks5 !== undefined) return note(place, 'has a socks5, so its kind is "socks5"');
      return { ...manners, id, kind, ...(localAddress === undefined ? {} : { localAddress }) };
    case 'socks5':
      if (socks5 === undefined) return note(place, 'has no socks5, which names the proxy');
      if (localAddress !== undefined) {
        return note(inside(place, '.localAddress'), 'is for routes of kind "direct": a proxy has its own');
      }
      return { ...manners, id, kind, socks5 };
  }
};
