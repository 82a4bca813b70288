import type { Explanation } from '@mailproof/client';
import { roughly } from '../parts/format.ts';

/** Words that are names of something, as they are written. */
const names: Readonly<Record<string, string>> = {
  dns: 'DNS',
  dnssec: 'DNSSEC',
  helo: 'HELO',
  mx: 'MX',
  servfail: 'SERVFAIL',
  smtp: 'SMTP',
  smtputf8: 'SMTPUTF8',
  tls: 'TLS',
};

/** Why the verdict is what it is, short enough for a headline: “Greylisted: ask again in 5 minutes”. */
export function verdictWhy({ reason, retry }: Pick<Explanation, 'reason' | 'retry'>): string {
  const words = reason
    .split('_')
    .map((word) => (Object.hasOwn(names, word) ? (names[word] ?? word) : word))
    .join(' ');
  const why = words.charAt(0).toUpperCase() + words.slice(1);
  if (!retry.advised) return why;
  return `${why}: ask again ${retry.after_seconds === undefined ? 'later' : `in ${roughly(retry.after_seconds)}`}`;
}
