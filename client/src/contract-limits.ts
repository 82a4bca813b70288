/** What a request may hold at most. Characters are Unicode code points. */
export const contractLimits = {
  /** Characters of one address. */
  emailCharacters: 254,
  /** Addresses of one bulk task. */
  bulkEmails: 100,
  /** Characters of a bulk task's name. */
  nameCharacters: 25,
  /** Bytes of a request body. */
  bodyBytes: 262_144,
  /** Characters of a key's name. */
  keyNameCharacters: 50,
  /** Blocks of IP addresses that a key may be used from. */
  keyAllowedIps: 50,
  /** Entries of one page, most and usual. */
  pageEntries: 100,
  pageEntriesUsual: 50,
  /** Days of use, most and usual. */
  usageDays: 90,
  usageDaysUsual: 30,
  /** Characters of an `Idempotency-Key`. */
  idempotencyKeyCharacters: 255,
  /** Characters of a list's name. */
  listNameCharacters: 200,
  /** Rows of one page of a list, most and usual. */
  listPageRows: 1_000,
  listPageRowsUsual: 100,
  /** Characters of an account's name. */
  accountNameCharacters: 200,
  /** Of why an account was unfrozen. */
  unfreezeReasonCharacters: 500,
  /** Credits of one grant, and of one account in all. */
  credits: 1_000_000_000_000,
  /** Hours over which verdicts are counted, most and usual. */
  healthHours: 720,
  healthHoursUsual: 24,
} as const;
