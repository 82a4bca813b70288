/** The engine: `createEngine(settings).verify(email, patience)`, and the pure parts that stand alone. */
export { createBoundedCache, type BoundedCache } from './bounded-cache.ts';
export { systemClock, type Clock } from './clock.ts';
export { createEngine, type Engine, type EngineSettings } from './create-engine.ts';
export type { EngineEgress } from './engine-egress.ts';
export { lateEvidence, type Evidence, type MailboxEvidence, type ReadReply } from './evidence.ts';
export { explain, isRestReason, type Explanation, type ExplanationReason } from './explanation.ts';
export { createFairSlots, type Asker, type FairSlots, type Slot } from './fair-queue.ts';
export { isInBlocks, isWithinBlock, networkOf, parseCidr, type Cidr } from './ip-address.ts';
export { defaultLimits, limitTable, type Limits } from './limits.ts';
export type { EngineMemory, Remembered } from './memory.ts';
export { createOwnSignals, type OwnSignals, type Patience } from './patience.ts';
export { tracedConversations, tracedLookups } from './traced.ts';
export { conclusiveStatuses, judge, type Verdict, type VerdictStatus } from './verdict.ts';
export { verify, type Outcome, type Recalled, type VerifyParts } from './verify.ts';
export { createResolver, parseDnsServer, systemServers } from './dns/create-resolver.ts';
export type { Lookup } from './dns/lookup.ts';
export type { MailRoute } from './dns/mail-route.ts';
export { probeResolver } from './dns/watch-resolver.ts';
export { createDialer } from './egress/create-dialer.ts';
export { judgeAddress } from './egress/judge-address.ts';
export { ownAddresses, seenAddresses, waysOf, type EgressWay } from './egress/own-addresses.ts';
export { checkHelo } from './identity/check-identity.ts';
export { evaluateSpf } from './identity/evaluate-spf.ts';
export {
  createLists,
  findListFile,
  listFileNames,
  type ListFindings,
  type Lists,
} from './lists/load-lists.ts';
export {
  askProvidersMayBe,
  defaultPoliteness,
  forbiddingProviders,
  parseAskProviders,
} from './politeness/built-in-policies.ts';
export type { Predecessor } from './politeness/create-pacer.ts';
export { createPolicyBook } from './politeness/create-policy-book.ts';
export {
  describeIpProfile,
  ipProfileNames,
  ipProfiles,
  type IpProfile,
  type IpProfilePace,
} from './politeness/ip-profile.ts';
export { endedRest, readKeptRest } from './politeness/keep-rests.ts';
export {
  routesOr,
  type HostPolicy,
  type PolicyBook,
  type PolicyFile,
  type Politeness,
  type RouteSetting,
} from './politeness/policy.ts';
export { readPolicyFile, type ReadPolicyFile } from './politeness/read-policy-file.ts';
export type { Probe, Prober } from './probing/prober.ts';
export { rereadEvidence } from './probing/reread-evidence.ts';
export { classifyReply } from './replies/classifier/classify-reply.ts';
export type { ReplyMeaning, ReplyToClassify } from './replies/meaning.ts';
export { ownDomainsOf, providerOf, providerTable } from './replies/providers.ts';
export {
  blockListName,
  delistingPage,
  lookUpListing,
  usualBlockLists,
  type Listing,
} from './reputation/block-lists.ts';
export { openedByOperator, readKeptClosure, type Closure, type ProviderBan } from './reputation/closures.ts';
export { egressFor } from './routes/choose-route.ts';
export { endOfRouteRests } from './routes/keep-routes.ts';
export type { Address, CanonicalHost, ParsedAddress, SyntaxFault } from './syntax/address.ts';
export { canonicalHost, canonicalMailHost } from './syntax/canonical-host.ts';
export { createListParser, parseAddress, trimAddress } from './syntax/parse-address.ts';
