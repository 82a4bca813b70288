/** The recursive resolvers to ask when the operator names none: the system's, as Node reads them. */
import { getServers } from 'node:dns';
import { parseDnsServer } from './parse-dns-server.ts';
import type { DnsServer } from './question.ts';

export function systemServers(): DnsServer[] {
  return getServers()
    .map(parseDnsServer)
    .filter((server) => server !== undefined);
}
