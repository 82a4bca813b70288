/**
 * Every wait has a deadline and every buffer a maximum; the engine's all stand in this table.
 * `docs/limits.md` is written from it (`npm run docs`), and a test holds the two together.
 */
export const limitTable = {
  connectMs: { value: 8_000, meaning: 'TCP connection to a mail host' },
  bannerMs: { value: 25_000, meaning: 'wait for the banner if a caller waits for the answer' },
  bulkBannerMs: { value: 60_000, meaning: 'wait for the banner on behalf of a list' },
  ehloMs: { value: 8_000, meaning: 'reply to EHLO or HELO' },
  tlsMs: { value: 8_000, meaning: 'STARTTLS and the handshake together' },
  mailMs: { value: 8_000, meaning: 'reply to MAIL' },
  rcptMs: { value: 25_000, meaning: 'reply to each RCPT if a caller waits for the answer' },
  bulkRcptMs: { value: 60_000, meaning: 'reply to each RCPT on behalf of a list' },
  slowRefusalMs: {
    value: 4_000,
    meaning: 'refusal of a recipient from which on a host is asked for few at once',
  },
  rsetMs: { value: 3_000, meaning: 'reply to RSET' },
  quitMs: { value: 2_000, meaning: 'reply to QUIT, after the verdict' },
  smtpPhaseMs: {
    value: 25_000,
    meaning: 'a conversation about one address, without the wait behind others in it',
  },
  bulkSmtpPhaseMs: { value: 120_000, meaning: 'the same on behalf of a list' },
  dnsTryMs: { value: 1_000, meaning: 'one DNS query to one server before the next try' },
  dnsLookupMs: { value: 4_000, meaning: 'one DNS lookup over all tries and servers' },
  dnsPhaseMs: { value: 6_000, meaning: 'all DNS lookups for one address before SMTP' },
  verificationMs: { value: 30_000, meaning: 'one verification, unless the caller says otherwise' },
  replyLineBytes: { value: 2_048, meaning: 'one line of an SMTP reply' },
  replyLines: { value: 128, meaning: 'lines of one SMTP reply' },
  replyBytes: { value: 16_384, meaning: 'one SMTP reply' },
  conversationBytes: { value: 65_536, meaning: 'all a mail host may send in one conversation' },
  ehloKeywords: { value: 64, meaning: 'extensions read from one EHLO reply' },
  commandBytes: { value: 512, meaning: 'one SMTP command, CRLF included (RFC 5321 4.5.3.1.4)' },
  mxRecords: { value: 20, meaning: 'MX records looked at' },
  mailAddresses: {
    value: 5,
    meaning: 'mail-host addresses used for one verification, but for those that gave no answer',
  },
  mailHostLookups: {
    value: 5,
    meaning: 'mail-host names resolved for one verification, but for those that gave no answer',
  },
  mailAddressesRefusing: {
    value: 20,
    meaning: 'mail-host addresses that may give no answer in one verification',
  },
  reusedAnswers: { value: 20_000, meaning: 'answers of mail hosts that are kept to be given again' },
  openConversations: { value: 5_000, meaning: 'conversations open at once in one process' },
  conversations: { value: 10, meaning: 'mail hosts that may turn one verification away or fall silent' },
  addressCharacters: { value: 254, meaning: 'an address (RFC 5321 4.5.3.1.3 less the brackets)' },
  localPartOctets: { value: 64, meaning: 'a local part on the wire (RFC 5321 4.5.3.1.1)' },
  domainOctets: { value: 253, meaning: 'a domain on the wire (RFC 1035)' },
  dnsCacheEntries: { value: 20_000, meaning: 'answers in the DNS cache' },
  dnsTtlMaxS: { value: 3_600, meaning: 'longest life of a DNS answer in the cache' },
  dnsNegativeTtlMaxS: { value: 900, meaning: 'longest life of a "no such name" or "no data" answer' },
  dnsFailureTtlS: { value: 5, meaning: 'life of a failed lookup in the cache' },
  dnsSockets: { value: 16, meaning: 'UDP sockets in the pool of the resolver' },
  resolverControlMs: {
    value: 1_250,
    meaning: 'least time between two controls, of two queries each, that denials of domains wait for',
  },
  resolverProofMs: { value: 4_000, meaning: 'wait of a denial for the controls that prove its resolver' },
  resolverProbeMs: { value: 60_000, meaning: 'time between two controls of a resolver that denies nothing' },
  resolverProbeAgainMs: { value: 15_000, meaning: 'the same while it denies a name that must exist' },
  postureMs: { value: 1_000, meaning: 'SPF, DMARC and MTA-STS of a domain that takes every address' },
  routeSearches: { value: 500, meaning: 'addresses of lists whose mail hosts are looked up at once' },
  dnsQueriesInFlight: { value: 1_000, meaning: 'DNS queries awaiting an answer' },
  catchAllEntries: { value: 50_000, meaning: 'domains whose catch-all answer is remembered' },
  catchAllYesMs: { value: 7 * 86_400_000, meaning: 'life of "takes every address"' },
  catchAllNoMs: { value: 86_400_000, meaning: 'life of "refuses made-up addresses"' },
  beliefMs: {
    value: 86_400_000,
    meaning:
      'time between two made-up addresses asked for at a provider that is believed, and life of a doubt in it',
  },
  beliefAgainMs: { value: 600_000, meaning: 'the same if the first gave no answer' },
  controlEveryMs: {
    value: 900_000,
    meaning: "time between two checks of a provider's control mailboxes, while it is asked",
  },
  controlWaitMs: {
    value: 5_000,
    meaning: 'wait for a running check before "no such mailbox" is believed',
  },
  hostTraitEntries: { value: 20_000, meaning: 'mail hosts whose traits are remembered' },
  hostTraitMs: { value: 86_400_000, meaning: 'life of a remembered trait of a mail host' },
  hostReachMs: {
    value: 7 * 86_400_000,
    meaning: 'life of "could not be reached", unless a host is tried again',
  },
  hostGoneMs: {
    value: 86_400_000,
    meaning:
      'time after which a preferred mail host that cannot be reached no longer stands before its backup',
  },
  routeBlocks: { value: 5, meaning: 'blocks within `routeBlockWindowMs` after which a route rests' },
  routeBlockGroups: {
    value: 2,
    meaning: 'groups those blocks must come from; from one, that group alone rests on that route',
  },
  routeBlockWindowMs: { value: 600_000, meaning: 'window in which the blocks of a route are counted' },
  routeRestMs: {
    value: 3_600_000,
    meaning: 'rest of a blocked route; a group that refused one route is not asked on another as long',
  },
  routeRefusals: { value: 20_000, meaning: 'groups and addresses remembered as having refused a route' },
  routeFailures: { value: 3, meaning: 'failures of a route itself, in a row, after which it is left alone' },
  routeDownMs: { value: 60_000, meaning: 'time for which a route that fails is left alone' },
  listingHosts: {
    value: 2,
    meaning: 'mail hosts that call an egress address listed before block lists are looked up for it',
  },
  listingNetworks: { value: 2, meaning: 'networks they must be in (a /24 of IPv4, a /48 of IPv6)' },
  listingAgainMs: { value: 10_000, meaning: 'least time between two lookups that mail hosts cause' },
  listingEveryMs: { value: 6 * 3_600_000, meaning: 'time between two lookups of an egress address' },
  listedEveryMs: { value: 3_600_000, meaning: 'the same while it is closed because a block list has it' },
  suspicionHosts: {
    value: 20,
    meaning: 'mail hosts that must name lists that cannot be looked up before an egress address rests',
  },
  suspicionNetworks: { value: 10, meaning: 'networks they must be in' },
  suspicionWindowMs: { value: 3_600_000, meaning: 'window in which they are counted' },
  suspicionRestMs: {
    value: 3_600_000,
    meaning: 'first rest of such an address; each further one is twice as long',
  },
  suspicionRestMaxMs: { value: 86_400_000, meaning: 'longest rest of such an address' },
  openedByOperatorMs: {
    value: 86_400_000,
    meaning: 'time for which an address that the operator opened stays open although a list has it',
  },
  banMs: {
    value: 86_400_000,
    meaning: 'time for which a provider is not asked from an address that it bans',
  },
  banTryMs: {
    value: 600_000,
    meaning: 'wait between tries after that, until one tells whether the ban holds',
  },
  mailPortAddresses: {
    value: 20,
    meaning: 'silent mail hosts, and none that was reached, that make port 25 suspect',
  },
  mailPortNetworks: { value: 5, meaning: 'networks they must be in (a /16 of IPv4, a /32 of IPv6)' },
  mailPortWindowMs: { value: 300_000, meaning: 'window in which they are counted' },
  mailPortFailures: { value: 100, meaning: 'failed mail hosts kept in that window' },
  mailPortNoticeMs: {
    value: 60_000,
    meaning: 'least time between two messages about it, and between two trial connections',
  },
  identityEveryMs: { value: 3_600_000, meaning: 'time between two looks at our own HELO name and sender' },
  identityAgainMs: { value: 60_000, meaning: 'the same while one of them is not proven to be ours' },
  identityTrustMs: {
    value: 86_400_000,
    meaning: 'time for which both stay proven while they cannot be looked up',
  },
  canaryEveryMs: { value: 600_000, meaning: 'time between two rounds of the canaries' },
  replyMeanings: { value: 5_000, meaning: 'different refusals whose meaning is remembered' },
  explainedReplyCharacters: { value: 200, meaning: 'characters kept of a reply' },
} as const;

export type Limits = { readonly [Name in keyof typeof limitTable]: number };

/** The defaults as plain numbers, in the form in which every part takes them. */
export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, limit]) => [name, limit.value]),
) as Limits;
