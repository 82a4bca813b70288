import { clientLimits, type ClientLimits } from './client-limits.ts';
import type { ClientParts, Fetch } from './client-parts.ts';
import { parseUrl } from './parse-url.ts';
import type { Connection } from './request.ts';

type Destination = {
  baseUrl: string;
  apiKey: string;
  fetch?: Fetch;
  limits?: Partial<ClientLimits>;
};

/** Invalid options are rejected before anything is sent. The key is never part of a message. */
export function connect({ baseUrl, apiKey, fetch, limits }: Destination, parts: ClientParts): Connection {
  const url = parseUrl(baseUrl);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl must be an http or https URL without a query or fragment');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not contain a user name or password');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must consist of visible ASCII characters');
  return {
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    apiKey,
    fetch: fetch ?? ((address, init) => globalThis.fetch(address, init)),
    limits: { ...clientLimits, ...limits },
    parts,
  };
}
