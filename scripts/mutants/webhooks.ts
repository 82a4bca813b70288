import { defectsOf, type Mutant } from './mutant.ts';

const sending = [
  'service/src/features/webhooks/delivery-claims.test.ts',
  'service/src/features/webhooks/send-deliveries.test.ts',
];
const owning = [
  'service/src/features/webhooks/endpoint-changes.test.ts',
  'service/src/features/webhooks/webhook-actions.test.ts',
];
const both = [...sending, ...owning];
const places = ['service/src/features/webhooks/delivery-places.test.ts'];
const posting = ['service/src/features/webhooks/send-request.test.ts'];
const signing = ['service/src/features/webhooks/sign-message.test.ts'];
const waiting = ['service/src/features/webhooks/next-step.test.ts'];
const addressing = ['service/src/features/webhooks/read-endpoint-url.test.ts'];

export const webhookMutants: readonly Mutant[] = [
  ...defectsOf('service/src/features/webhooks/send-deliveries.ts', both, {
    'the old secret signs for ever': [
      '[secret, previous] : [secret]',
      '[secret, previous] : [previous ?? secret]',
    ],
    'the old secret signs beside the new one for ever': ['&& startedAt < until ?', '?'],
    'the new secret does not sign while the old one does': ['? [secret, previous] :', '? [previous] :'],
    'an account never gets its places back': ['held.get(claimed)?.();', ''],
    'what becomes due while others hang is found at the next look': [
      '    await look();\n    return claimKnown();',
      '    return undefined;',
    ],
    'a delivery that was broken off waits for the end of its lease': [
      'if (cut.aborted) await store.write',
      'if (!cut.aborted) await store.write',
    ],
    'something is sent to an endpoint that was switched off': [`    .where('enabled', '=', 1)\n`, ''],
  }),
  ...defectsOf('service/src/features/webhooks/delivery-places.ts', places, {
    'an endpoint takes every place of deliveries': ['limits.sentAtOnceToEndpoint', '1_000'],
    'an account takes every place of deliveries': ['limits.sentAtOnceOfAccount', '1_000'],
    'one host takes every shared place': ['limits.sentAtOnceToHost', '1_000'],
    'an account has two places of its own': ['[`own of ${accountId}`, 1]', '[`own of ${accountId}`, 2]'],
    'an account has no place of its own': [`['own', limits.accountsAtOnce]`, `['own', 0]`],
    'an endpoint that hangs takes the places of others': ['if (hangs) {', 'if (webhookId === accountId) {'],
    'an account that hangs takes all places for that': [
      '[`hanging of ${accountId}`, 1]',
      '[`hanging of ${accountId}`, 9]',
    ],
    'a place is never given back': ['add(key, -1)', 'add(key, 0)'],
  }),
  ...defectsOf('service/src/features/webhooks/send-allowance.ts', owning, {
    'test messages are not limited': [`\n    .where('webhook_sends_at', '<=', arg.until)`, ''],
    'what was not used is saved up for ever': [
      `.when('webhook_sends_at', '>', arg.now)`,
      `.when('webhook_sends_at', '>', 0)`,
    ],
    'the wait is told in milliseconds': ['(sendsAt - until) / 1_000', 'sendsAt - until'],
  }),
  ...defectsOf('service/src/features/webhooks/claim-delivery.ts', both, {
    'a delivery is sent again before its time': [`    .where('next_at', '<=', arg.now)\n`, ''],
    'a delivery is claimed with the fence of the claim before': [
      `eb('fence', '+', eb.lit(1))`,
      `eb('fence', '+', eb.lit(0))`,
    ],
    'a delivery under way hides those behind it': [
      `.where('lease_until', '<=', arg.now)\n    .orderBy`,
      '.orderBy',
    ],
    'the newest delivery is sent first': [`.orderBy('next_at')`, `.orderBy('next_at', 'desc')`],
    'an attempt that was broken off ends the lease of its successor': [
      `    .where('fence', '=', arg.fence)\n`,
      '',
    ],
    'a death ends the leases of all processes': [`\n    .where('lease_owner', '=', arg.owner)`, ''],
    'a lease has no time': ['now + webhookLimits.leaseMs', 'now'],
  }),
  ...defectsOf('service/src/features/webhooks/record-attempt.ts', both, {
    'a delivery attempt is written without its fence': [`    .where('fence', '=', arg.fence)\n`, ''],
    'an attempt revives a delivery that was given up': [
      `\n    .where('state', '=', sql.lit('pending' as const))`,
      '',
    ],
    'an endpoint is never found to be failing': [`    .where('failing_since', 'is', null)`, ''],
    'an endpoint that took another message is disabled': [' && (await failedAllTheTime(tx, claim, log))', ''],
    'a test message disables its endpoint': ['!claim.isTest && ', ''],
    'an endpoint that fails is never disabled': [`await disable(tx, attempt, 'failing');`, ''],
    'an endpoint that is gone stays on': [
      `if (step.kind === 'gone') await disable`,
      `if (step.kind === 'retry') await disable`,
    ],
    'a delivery never ends': [`state === 'pending' ? null : attempt.now`, 'null'],
    'a success does not end the failing': [
      `step.kind === 'delivered') await tx.change(noteSuccess`,
      `step.kind === 'gone') await tx.change(noteSuccess`,
    ],
  }),
  ...defectsOf('service/src/features/webhooks/disable-webhook.ts', both, {
    'what waits for an endpoint that is off is not given up': [
      '  await giveUpPending(tx, webhookId, now);\n',
      '',
    ],
    'what waits for another endpoint is given up': [`    .where('webhook_id', '=', arg.webhook)\n`, ''],
    'disabling is not written down': ['await recordChange(tx, {', 'if (now < 0) await recordChange(tx, {'],
  }),
  ...defectsOf('service/src/features/webhooks/erase-webhooks.ts', owning, {
    'deliveries are erased at their end': ['now - webhookLimits.keptMs', 'now'],
    'test messages are kept as long as others': [
      'now - webhookLimits.testKeptMs',
      'now - webhookLimits.keptMs',
    ],
    'every message is erased as early as a test': ["      .where('type', '=', sql.lit(testType))\n", ''],
    'a deleted endpoint stays in the store': ['if (erased < most)', 'if (erased > most)'],
  }),
  ...defectsOf('service/src/features/webhooks/next-step.ts', waiting, {
    'a redirect is a delivery': ['outcome.status < 300', 'outcome.status <= 302'],
    'what is gone is tried again': ['outcome.status === 410', 'outcome.status === 411'],
    'there are nine attempts': ['waitsMs[attempts - 1]', 'waitsMs[attempts]'],
    'an endpoint may ask for a shorter wait': ['Math.max(usual, ', 'Math.min(usual, '],
    'an endpoint may ask for any wait': ['Math.min(asked, webhookLimits.retryAfterMs)', 'asked'],
    'all come back together': ['1 - jitter + 2 * jitter * random', '1'],
  }),
  ...defectsOf('service/src/features/webhooks/read-endpoint-url.ts', addressing, {
    'an endpoint may be reached over http': [' && httpAllowed)', ')'],
    'a URL may hold a password': [`url.username !== '' || url.password !== '' || `, ''],
    'an endpoint may be at the port of another service': ['port < 1_024', 'port < 0'],
  }),
  ...defectsOf('service/src/features/webhooks/read-webhooks.ts', owning, {
    'a delivery of another endpoint is found': [
      `.where('id', '=', arg.delivery)\n    .where('webhook_id', '=', arg.webhook)`,
      `.where('id', '=', arg.delivery)`,
    ],
    'deliveries of all endpoints are shown': [
      `    .where('webhook_id', '=', arg.webhook)\n    .where('id', '<', arg.before)`,
      `    .where('id', '<', arg.before)`,
    ],
    'endpoints of all accounts are found': [`    .where('account_id', '=', arg.account)\n`, ''],
    'deleted endpoints are shown': [`    .where('deleted_at', 'is', null)\n`, ''],
    'a page has one too many': ['rows.slice(0, limit)', 'rows'],
  }),
  ...defectsOf('service/src/features/webhooks/send-request.ts', posting, {
    'an answer is kept whole': ['.subarray(0, webhookLimits.responseBytes)', ''],
    'what cannot be stored is kept': [`.replace(/[^\\P{C}\\n\\t]/gu, '\\u{fffd}')`, ''],
    'an attempt has no deadline': ['parts.clock.now() + webhookLimits.attemptMs', '1e9'],
    'an attempt is given up too early': ['+ webhookLimits.attemptMs', '+ webhookLimits.attemptMs - 1_000'],
    'the wait that is asked for is taken as milliseconds': ['Number(text) * 1_000', 'Number(text)'],
  }),
  ...defectsOf('service/src/features/webhooks/sign-message.ts', signing, {
    'a message is signed without its id': ['`${id}.${timestamp}.${body}`', '`${timestamp}.${body}`'],
    'a message is signed in milliseconds': ['Math.floor(now / 1_000)', 'now'],
    'the prefix of a secret is part of it': ['secret.slice(secretPrefix.length)', 'secret'],
    'one secret signs alone': [
      'const signatures = secrets.map(',
      'const signatures = secrets.slice(0, 1).map(',
    ],
    'a secret is short': ['const secretBytes = 32;', 'const secretBytes = 16;'],
  }),
  ...defectsOf('service/src/features/webhooks/write-event.ts', both, {
    'credits.low is not told when credits were exactly at the threshold': ['mark <= from', 'mark < from'],
    'credits.low is told when credits are exactly at the threshold': ['to < mark &&', 'to <= mark &&'],
    'credits.low is told at every fall': ['before: now - webhookLimits.lowCreditsAgainMs', 'before: now'],
    'a grant is no news': ['if (wanted !== null) await', 'if (wanted === null) await'],
    'credits.low is told to endpoints with another threshold': [
      '!marks.includes(mark)',
      'marks.length === 0',
    ],
    'an event is told to endpoints that do not want it': [
      'isWanted(readEventTypes(events))',
      `events !== ''`,
    ],
    'an event is told to the endpoints of other accounts': [
      `    .where('account_id', '=', arg.account)\n    .where('enabled', '=', 1)`,
      `    .where('enabled', '=', 1)`,
    ],
    'every delivery of an event has another id': ['event_id: eventId,', 'event_id: timeOrderedId(now),'],
  }),
  ...defectsOf('service/src/features/webhooks/change-webhook.ts', owning, {
    'an account has an endpoint too many': ['>= webhookLimits.endpoints', '> webhookLimits.endpoints'],
    'a rotated secret does not sign any more': [`previous_secret: eb.ref('secret')`, 'previous_secret: null'],
    'a rotated secret signs for two days': [
      'now + webhookLimits.previousSecretMs',
      'now + 2 * webhookLimits.previousSecretMs',
    ],
    'what waits for a deleted endpoint is sent': ['  await giveUpPending(tx, webhookId, now);\n', ''],
    'a test is sent to an endpoint that is off': [
      `if (!webhook.enabled) return { kind: 'webhook_disabled' };`,
      '',
    ],
    'an endpoint cannot be switched off': ['if (!enabled && known.enabled)', 'if (now < 0)'],
    'an endpoint cannot be switched on': ['if (enabled && !known.enabled)', 'if (now < 0)'],
    'an endpoint that was switched on again is still failing': [', failing_since: null', ''],
  }),
];
