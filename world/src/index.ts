/** A mail internet on loopback, for tests, the demo and benchmarks. It is the other side: it imports nothing of the engine. */
export { startWorld } from './start-world.ts';
export type { World, WorldOptions } from './start-world.ts';
export type { HostDescription, WorldDescription } from './description.ts';
export type { Zone, ZoneBehaviour } from './dns/zone.ts';
export type { DnsCounts, DnsQuery } from './dns/query-log.ts';
export { faults, furtherFaults, injections, phases } from './smtp/fault.ts';
export type { Fault, FaultAt, Injection, Phase } from './smtp/fault.ts';
export { tlsFaults } from './smtp/tls-fault.ts';
export type { TlsFault } from './smtp/tls-fault.ts';
export type { Mailbox, MailboxState, Temper } from './smtp/temper.ts';
export type { Conversation, SmtpCounts, Violation, ViolationKind } from './smtp/record.ts';
export { faultHost, fuzzHost, injectedHost, tlsFaultHost } from './hosts.ts';
export { tempers } from './tempers.ts';
export { standardCast, standardLists, standardWorld } from './standard-world.ts';
export { faultMatrix, injectionMatrix, tlsFaultMatrix } from './cast/matrices.ts';
export type { Matrix } from './cast/matrices.ts';
export type { CastMember, Expectation, ExpectedStatus } from './cast/place.ts';
