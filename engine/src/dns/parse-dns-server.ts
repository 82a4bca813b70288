/** Reads `ip`, `ip:port`, `[v6]` or `[v6]:port`; the port is 53 unless it is given. */
import { isIPv4, isIPv6 } from 'node:net';
import type { DnsServer } from './question.ts';

const DNS_PORT = 53;

export function parseDnsServer(text: string): DnsServer | undefined {
  if (isIPv6(text)) return { ip: text, port: DNS_PORT };
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return server(bracketed, isIPv6);
  const plain = /^([^:]*)(?::(\d{1,5}))?$/.exec(text);
  return plain === null ? undefined : server(plain, isIPv4);
}

function server(match: RegExpExecArray, isAddress: (text: string) => boolean): DnsServer | undefined {
  const [, ip = '', digits] = match;
  const port = digits === undefined ? DNS_PORT : Number(digits);
  return isAddress(ip) && port >= 1 && port <= 65_535 ? { ip, port } : undefined;
}
