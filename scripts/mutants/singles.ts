import { defectsOf, type Mutant } from './mutant.ts';

const verifying = [
  'service/src/core/verify/places-and-holds.test.ts',
  'service/src/core/verify/verify-one.test.ts',
  'service/src/core/verify/answer-once.test.ts',
];
const counting = ['service/src/core/verify/count-singles.test.ts'];
const taking = ['service/src/core/verify/slots.test.ts'];

export const singleMutants: readonly Mutant[] = [
  ...defectsOf('service/src/core/verify/verify-one.ts', verifying, {
    'a single never gives its place back': ['    slot.release();\n', ''],
    'a verdict is charged after its hold has expired': ['now < expiresAt ? probed', 'now > 0 ? probed'],
    'a hold expires with the deadline': ['const graceMs = 10_000;', 'const graceMs = 0;'],
    'a single waits in the queue of bulk': [`{ urgency: 'single', account`, `{ urgency: 'bulk', account`],
    'a single charges what was not conclusive': [
      'conclusiveStatuses.has(verdict.status) && holdOf',
      'holdOf',
    ],
    'the sandbox is paid for': [`mode === 'live' ? requestId : undefined`, 'requestId'],
    'a test key is told what the engine knows': [
      `caller.mode === 'live' ? recall(address) : undefined`,
      'recall(address)',
    ],
    'what is known to be inconclusive is not asked for': [
      'known !== undefined && conclusiveStatuses.has(known.verdict.status)',
      'known !== undefined',
    ],
    'a refusal keeps the idempotency key': [
      '  await freeKey(tx, request);\n  return reserved;',
      '  return reserved;',
    ],
    'an attempt that lost its key is charged': [
      'isKept && (await close(tx, step, charge))',
      'await close(tx, step, charge)',
    ],
    'an attempt whose hold was swept keeps its answer': [
      'await (isKept ? withdrawAnswer(tx, request) : close(tx, step, 0));',
      'await close(tx, step, 0);',
    ],
    'a verdict is told though the sweeper came first': [
      `settled.kind === 'settled'`,
      'settled.kind.length > 0',
    ],
    'a failed attempt keeps the idempotency key': ['  await freeKey(tx, step.request);\n', ''],
    'a failed attempt keeps its credit': ['  await close(tx, step, 0);\n', ''],
    'a failing store is waited for once more': [
      'if (!(error instanceof StoreUnavailableError)) await tried;',
      'await tried;',
    ],
    'a test key asks mail hosts': [
      `if (caller.mode === 'test') return`,
      `if (caller.accountId === '') return`,
    ],
    'waiting for a place does not count towards the deadline': [
      'parts.slots.take(asker, patience)',
      'parts.slots.take(asker, { ...patience, deadline: Infinity })',
    ],
  }),
  ...defectsOf('service/src/core/verify/answer-once.ts', verifying, {
    'a replay does not say that it is one': ['replayed: true }', 'replayed: false }'],
    'an idempotency key is not taken': [
      '  await begin(tx, { ...scope, ...holder, attempt: requestId });\n',
      '',
    ],
    'an answer is not kept': [
      'if (idempotency === undefined) return true;',
      `if (idempotency?.key !== '') return true;`,
    ],
  }),
  ...defectsOf('service/src/core/verify/slots.ts', taking, {
    'bulk takes the places of singles': [
      `(urgency === 'single' || inUse.bulk < limits.bulk)`,
      'inUse.bulk >= 0',
    ],
    'an account takes every place': [
      '(ofAccount.get(account) ?? 0) < limits.perAccount',
      'ofAccount.size >= 0',
    ],
    'a place never comes back': ['inUse[urgency] -= 1;', ''],
    'the share of an account never comes back': [
      'if (left > 0) ofAccount.set(account, left);',
      'if (left >= 0) ofAccount.set(account, left + 1);',
    ],
    'an account may take half of the places': ['total * 0.2', 'total * 0.5'],
  }),
  ...defectsOf('service/src/core/verify/count-singles.ts', counting, {
    'a replay is counted': ['if (!answer.replayed) counts', 'if (answer.kind) counts'],
    'the sandbox is counted': [`request.caller.mode === 'live'`, `request.caller.mode !== undefined`],
    'a failure is not counted': [
      "    case 'timeout':\n      counts",
      "      return;\n    case 'timeout':\n      counts",
    ],
  }),
];
