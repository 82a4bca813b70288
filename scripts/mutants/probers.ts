import { defectsOf, type Mutant } from './mutant.ts';

const handing = [
  'service/src/features/probers/probe-queue.test.ts',
  'service/src/features/probers/probes.test.ts',
];
const choosing = ['service/src/features/probers/dispatch.test.ts'];
const owning = [
  'service/src/features/probers/keep-egress.test.ts',
  'service/src/features/probers/take-over.test.ts',
];
const withdrawing = ['service/src/features/probers/withdrawn-probes.test.ts'];
const outside = [
  'service/src/features/probers/prober-centre.test.ts',
  'service/src/features/probers/prober-reports.test.ts',
];

export const proberMutants: readonly Mutant[] = [
  ...defectsOf('service/src/features/probers/probe-rows.ts', handing, {
    'a late answer counts': [`\n    .where('fence', '=', arg.fence)`, ''],
    'the answer of a stranger counts': [
      `    .where('holder', '=', arg.holder)\n    .where('lease', '=', arg.lease)`,
      `    .where('lease', '=', arg.lease)`,
    ],
    'the answer of another lease counts': [
      `    .where('lease', '=', arg.lease)\n    .where('fence'`,
      `    .where('fence'`,
    ],
    'an answer counts twice': [
      `.where('id', '=', arg.id)\n    .where('state', '=', leased)`,
      `.where('id', '=', arg.id)`,
    ],
    'the next owner waits for the lease of the last one': [' or holder <> ${arg[holderAt]}', ''],
    'a lease has the fence of the one before': [`eb('fence', '+', eb.lit(1))`, `eb('fence', '+', eb.lit(0))`],
    'a probe is leased after its deadline': [`    .where('deadline_at', '>', now)\n`, ''],
    'one account is asked for before the others': ['partition by urgency, tag', 'partition by urgency'],
    'singles wait for bulk': [`        .orderBy('waiting.urgency')\n`, ''],
    'a prober renews the lease of another': [
      `.where('lease', '=', arg.lease)\n    .where('holder', '=', arg.holder),`,
      `.where('lease', '=', arg.lease),`,
    ],
    'a process withdraws the probes of others': [
      `    .where('asker', '=', arg.asker)\n    .where('egress'`,
      `    .where('egress'`,
    ],
    'a probe is withdrawn while it is asked': [
      `        eb('lease_until', '<=', arg.now),\n        eb.and([eb('holder'`,
      `        eb('lease_until', '>', 0),\n        eb.and([eb('holder'`,
    ],
    'a process takes the evidence of another': [
      `\n    .where('asker', '=', arg.asker)\n    .limit`,
      '\n    .limit',
    ],
  }),
  ...defectsOf('service/src/features/probers/probe-exchange.ts', handing, {
    'a lease that arrived is taken for lost': ['arrived.has(lease) ? [] : [lease]', '[lease]'],
    'a prober keeps what it may not have': ['(await order.mayKeep?.(tx)) !== false', 'true'],
    'bulk is leased as if somebody waited for it': [`urgency === 0 ? 'single' : 'bulk'`, `'single'`],
    'more is leased than there are places': ['Math.min(order.places, mostLeased)', 'mostLeased'],
  }),
  ...defectsOf('service/src/features/probers/probe-queue.ts', handing, {
    'singles are written as bulk': [`urgency === 'single' ? 0 : 1`, `urgency === 'single' ? 1 : 0`],
    'the reading of the prober is believed': [
      'return { answer: reread(said, probe), begunAt };',
      'return { answer: said, begunAt };',
    ],
    'a probe that nobody waits for stays': ['if (answer.isHeard()) return;', 'return;'],
    'what is being written is not withdrawn': [
      '&& !one.isWritten) one.leave();',
      '&& one.probe.egress === "") one.leave();',
    ],
    'a prober that fails is a silent host': [
      'evidence === null ? unreadable',
      'evidence === null ? { answer: late, begunAt: Infinity }',
    ],
    'an abort does not end the waiting': [`signal.addEventListener('abort', onAbort, { once: true });`, ''],
  }),
  ...defectsOf('service/src/features/probers/probe-queue.ts', withdrawing, {
    'what was begun after a pause is charged': ['begunAt > withdrawal.at', 'begunAt > Infinity'],
  }),
  ...defectsOf('service/src/features/probers/run-prober.ts', withdrawing, {
    'a prober does not heed a pause': [
      'onWithdrawn: (probe) => work.withdraw(probe),',
      'onWithdrawn: () => undefined,',
    ],
  }),
  ...defectsOf('service/src/features/probers/dispatch.ts', choosing, {
    'an address that changes hands is asked for for ever': ['tries < mostTries &&', ''],
    'an address that cannot ask is asked': ['allowedNow.filter((one) => one.well)', 'allowedNow'],
    'a prober outside that is not well is believed': [
      `allowedNow.filter(({ kind }) => kind === 'inside')`,
      'allowedNow',
    ],
    'an address that the policy forbids is asked': ['allowed?.includes(name) !== false', 'allowed !== null'],
    'an address that was lost is a silent host': [
      `isNotOurs(found) ? 'ask_another' : passClosed(found, egress, asking);\n    }\n    case 'other'`,
      `passClosed(found, egress, asking);\n    }\n    case 'other'`,
    ],
    'a mailbox of a spread provider is asked from anywhere': [
      'mailbox: address.email',
      'mailbox: `${address.email}${Math.random()}`',
    ],
  }),
  ...defectsOf('service/src/features/probers/egress-addresses.ts', owning, {
    'a process prolongs what others own': [
      `.where('owner', '=', arg.owner),\n);\n\n/** Prolongs`,
      `.where('owner', '<>', ''),\n);\n\n/** Prolongs`,
    ],
  }),
  ...defectsOf('service/src/features/probers/prober-centre.ts', outside, {
    'a report of an old instance counts': ['if (row?.instance !== instance) return { ended: renew };', ''],
    'a prober is told the account': [
      `createHmac('sha256', tagKey).update(asker.account).digest('hex').slice(0, 16)`,
      'asker.account',
    ],
    'two probers are told the same of an account': [
      `createHmac('sha256', tagKey)`,
      `createHmac('sha256', 'tag')`,
    ],
    'a second instance takes over at once': [
      `eb('seen_at', '<=', arg.silent)`,
      `eb('seen_at', '<=', arg.now)`,
    ],
    'something is learnt of domains that were not asked about': [
      'askedAbout.get(`${prober.id} ${kind} ${key}`)',
      `key !== ''`,
    ],
    'a prober that says it is unwell is asked': [` ?? unwell ?? ''`, ` ?? ''`],
    'a prober in quarantine is asked': [
      `whyNot === '' ? [...names, ...controlNames] : controlNames`,
      '[...names, ...controlNames]',
    ],
    'a prober in quarantine is believed': [`readLearned(isBelieved ? learned : [])`, 'readLearned(learned)'],
  }),
  ...defectsOf('service/src/features/probers/prober-records.ts', outside, {
    'an enrolment token is good for ever': [`\n    .where('token_until', '>', arg.now)`, ''],
    'an enrolment token is good for another secret': [
      `isSame(row.secret_hash, secretHash) ? enrolled : { kind: 'refused' }`,
      'enrolled',
    ],
    'a removed prober keeps its addresses': ['    await tx.change(dropEgress, { owner: row.id });\n', ''],
    'a removed prober keeps what it holds': ['    await freeProbesOf(tx, row.id);\n', ''],
    'a removed prober is remembered for a minute': ['const rememberMs = 900;', 'const rememberMs = 60_000;'],
  }),
  ...defectsOf('service/src/features/probers/outside-egress.ts', outside, {
    'a removal takes from other probers what they hold': [`\n    .where('holder', '<', arg.to)`, ''],
    'a silent prober keeps what it holds': ['    await freeProbesOf(tx, owner);\n', ''],
    'a silent prober is taken for well': [`    await judgeEgress(tx, { owner, whyNot: 'silent' });\n`, ''],
    'a prober takes the address of a process': [
      `\n        .where('egress_address.kind', '=', 'outside')`,
      '',
    ],
  }),
];
