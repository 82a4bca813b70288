/**
 * What the name server was asked. A wave is a group of queries that were in flight together: a query
 * that arrives while nothing is unanswered opens a new one. Waves are what a client waited for, so A
 * and AAAA asked side by side are two queries and one wave.
 */
export type DnsQuery = { name: string; type: string; transport: 'udp' | 'tcp' };

export type DnsCounts = {
  queries: number;
  udp: number;
  tcp: number;
  waves: number;
  /** By `name TYPE`, the name in lower case. */
  byQuestion: Record<string, number>;
};

export type QueryLog = {
  counts: DnsCounts;
  /** The latest queries, names spelt as they came off the wire. */
  queries: DnsQuery[];
  arrived(query: DnsQuery): void;
  answered(): void;
  reset(): void;
};

const queriesKept = 200_000;

export function queryLog(): QueryLog {
  let unanswered = 0;
  const log: QueryLog = {
    counts: noCounts(),
    queries: [],
    arrived(query) {
      const { counts } = log;
      if (unanswered === 0) counts.waves += 1;
      unanswered += 1;
      counts.queries += 1;
      counts[query.transport] += 1;
      const question = `${query.name.toLowerCase()} ${query.type}`;
      counts.byQuestion[question] = (counts.byQuestion[question] ?? 0) + 1;
      if (log.queries.length < queriesKept) log.queries.push(query);
    },
    answered() {
      unanswered -= 1;
    },
    reset() {
      log.counts = noCounts();
      log.queries = [];
    },
  };
  return log;
}

function noCounts(): DnsCounts {
  return { queries: 0, udp: 0, tcp: 0, waves: 0, byQuestion: {} };
}
