import type { Mutant } from './mutant.ts';

const ledger = ['service/src/core/ledger/ledger.test.ts'];
const together = ['service/src/core/ledger/together.test.ts'];
const watching = ['service/src/core/upkeep/watch-books.test.ts'];
const unfreezing = ['service/src/core/upkeep/unfreezing.test.ts'];
const creating = ['service/src/core/verify/tasks/create-task.test.ts'];
const running = ['service/src/core/verify/tasks/run-task.test.ts'];
const deferring = [
  'service/src/core/verify/tasks/deferrals.test.ts',
  'service/src/core/verify/tasks/greylisting.test.ts',
];
const growing = ['service/src/core/verify/tasks/growth.test.ts'];

export const creditMutants: readonly Mutant[] = [
  {
    name: 'a frozen account may still pay',
    file: 'service/src/core/ledger/reserve.ts',
    find: `    .where('frozen_at', 'is', null)\n`,
    replace: '',
    tests: ledger,
  },
  {
    name: 'more is reserved than is available',
    file: 'service/src/core/ledger/reserve.ts',
    find: `    .where('available', '>=', arg.ifAvailable)\n`,
    replace: '',
    tests: ledger,
  },
  {
    name: 'a task reserves in two parts and takes one',
    file: 'service/src/core/ledger/reserve.ts',
    find: 'ifAvailable = Math.max(ifAvailable, credits + one.ifAvailable);',
    replace: 'ifAvailable = Math.max(ifAvailable, credits + one.credits);',
    tests: creating,
  },
  {
    name: 'reserving does not touch the account',
    file: 'service/src/core/ledger/reserve.ts',
    find: `      touched_at: arg.now,\n`,
    replace: '',
    tests: together,
  },
  {
    name: 'settling does not touch the account',
    file: 'service/src/core/ledger/settle.ts',
    find: `      touched_at: arg.now,\n`,
    replace: '',
    tests: together,
  },
  {
    name: 'a hold is settled twice',
    file: 'service/src/core/ledger/settle.ts',
    find: `      .where('state', '=', sql.lit('open'))\n`,
    replace: '',
    tests: ledger,
  },
  {
    name: 'two who settle a hold in the same moment are both the first',
    file: 'service/src/core/ledger/settle.ts',
    find: '      open.delete(holdId);\n',
    replace: '',
    tests: together,
  },
  {
    name: 'what is not charged is lost',
    file: 'service/src/core/ledger/settle.ts',
    find: `available: eb('available', '+', arg.released)`,
    replace: `available: eb('available', '+', eb.lit(0))`,
    tests: ledger,
  },
  {
    name: 'holds are given back before their time',
    file: 'service/src/core/ledger/release-abandoned-holds.ts',
    find: `.where('expires_at', '<=', arg.now)`,
    replace: `.where('expires_at', '>', arg.now)`,
    tests: ledger,
  },
  {
    name: 'a grant is repeated',
    file: 'service/src/core/ledger/grant.ts',
    find: `if (earlier !== undefined) return`,
    replace: `if (earlier === null) return`,
    tests: ledger,
  },
  {
    name: 'freezing is not written down',
    file: 'service/src/core/ledger/freeze-account.ts',
    find: 'if (changed) await recordChange',
    replace: 'if (!changed) await recordChange',
    tests: ['service/src/features/operator/audit-log/audit-log.test.ts'],
  },
  {
    name: 'unfreezing accepts nothing, so that the account is frozen again',
    file: 'service/src/core/ledger/unfreeze-account.ts',
    find: '    await acceptFigures(tx, accountId, { figures, now });\n',
    replace: '',
    tests: unfreezing,
  },
  {
    name: 'an audit moves a mark that somebody else has moved',
    file: 'service/src/core/ledger/audit-mark.ts',
    find: `        .where('audit_mark.entries', '=', arg.beforeEntries)\n`,
    replace: '',
    tests: unfreezing,
  },
  {
    name: 'a missing entry is not missed',
    file: 'service/src/core/ledger/audit-entries.ts',
    find: 'if (row.number !== slice.through.entries + 1)',
    replace: 'if (row.number === -1)',
    tests: ledger,
  },
  {
    name: 'an entry and its hold may disagree',
    file: 'service/src/core/ledger/audit-entries.ts',
    find: 'if (!hasItsHold(row))',
    replace: 'if (row.number === -1)',
    tests: watching,
  },
  {
    name: 'open holds are not added up',
    file: 'service/src/core/ledger/audit-figures.ts',
    find: 'reserved === open + acceptedGap',
    replace: 'open >= 0',
    tests: watching,
  },
  {
    name: 'the service audits nothing that is new',
    file: 'service/src/core/upkeep/watch-books.ts',
    find: '    row.entries === row.mark_entries &&\n',
    replace: '    row.entries >= 0 || row.entries === row.mark_entries &&\n',
    tests: watching,
  },
];

export const taskMutants: readonly Mutant[] = [
  {
    name: 'a claim has the fence of the one before',
    file: 'service/src/core/verify/tasks/claim-task.ts',
    find: `fence: eb('fence', '+', eb.lit(1)),`,
    replace: `fence: eb('fence', '+', eb.lit(0)),`,
    tests: running,
  },
  {
    name: 'a claim does not look at who has the fewest under way',
    file: 'service/src/core/verify/tasks/claim-task.ts',
    find: 'loadOf(a) - loadOf(b) || a.next_at - b.next_at',
    replace: 'a.next_at - b.next_at',
    tests: growing,
  },
  {
    name: 'a claim looks only at the head of the queue',
    file: 'service/src/core/verify/tasks/claim-task.ts',
    find: 'head.length < tasksLookedAt ||',
    replace: 'head.length >= 0 ||',
    tests: growing,
  },
  {
    name: 'an account has more than its share of tasks under way',
    file: 'service/src/core/verify/tasks/claim-task.ts',
    find: '&& loadOf(task) < mostTasksOfAccount',
    replace: '',
    tests: growing,
  },
  {
    name: 'a task is claimed before its time',
    file: 'service/src/core/verify/tasks/claim-task.ts',
    find: `.select(['account_id', 'next_at'])
    .where(free)
    .where('mode', '=', arg.mode)
    .where('next_at', '<=', arg.now)`,
    replace: `.select(['account_id', sql<number>\`0\`.as('next_at')])
    .where(free)
    .where('mode', '=', arg.mode)`,
    tests: growing,
  },
  {
    name: 'the tasks of a worker that died are left to it',
    file: 'service/src/core/verify/tasks/claim-task.ts',
    find: 'const waiting = [...lapsed, ...head];',
    replace: 'const waiting = [...head];',
    tests: running,
  },
  {
    name: 'a worker that lost its task still writes results',
    file: 'service/src/core/verify/tasks/items.ts',
    find: `    .where('task.fence', '=', fence)\n`,
    replace: '',
    tests: ['service/src/core/verify/tasks/items.test.ts'],
  },
  {
    name: 'results are not counted',
    file: 'service/src/core/verify/tasks/items.ts',
    find: 'if (more > 0) await tx.change(addToChecked',
    replace: 'if (more < 0) await tx.change(addToChecked',
    tests: running,
  },
  {
    name: 'results that were refused are counted',
    file: 'service/src/core/verify/tasks/items.ts',
    find: 'const more = changes.filter((changed) => changed === 1).length;',
    replace: 'const more = changes.length;',
    tests: running,
  },
  {
    name: 'what was not conclusive is charged',
    file: 'service/src/core/verify/tasks/settle-task.ts',
    find: `\n    .where('conclusive', '=', 1)`,
    replace: '',
    tests: running,
  },
  {
    name: 'duplicates and rejected addresses are kept reserved',
    file: 'service/src/core/verify/tasks/create-task.ts',
    find: '    await settle(tx, { accountId, holdId: answer.holdId, charge: 0, now });\n',
    replace: '',
    tests: creating,
  },
  {
    name: 'a task is taken in without credits for all that was submitted',
    file: 'service/src/core/verify/tasks/create-task.ts',
    find: 'ifAvailable: submitted,',
    replace: 'ifAvailable: processing,',
    tests: creating,
  },
  {
    name: 'tasks are erased before their time',
    file: 'service/src/core/verify/tasks/erase-expired-tasks.ts',
    find: `.where('expires_at', '<=', arg.now)`,
    replace: `.where('expires_at', '>', arg.now)`,
    tests: ['service/src/core/upkeep/erase-in-slices.test.ts'],
  },
  {
    name: 'a deferring host is asked for ever',
    file: 'service/src/core/verify/tasks/verify-item.ts',
    find: 'visits.length < most && nextAt < claim.deadlineAt',
    replace: 'nextAt < claim.deadlineAt',
    tests: deferring,
  },
  {
    name: 'an address waits beyond the deadline of its task',
    file: 'service/src/core/verify/tasks/verify-item.ts',
    find: 'visits.length < most && nextAt < claim.deadlineAt',
    replace: 'visits.length < most',
    tests: deferring,
  },
];
