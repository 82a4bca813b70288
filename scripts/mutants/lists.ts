import { defectsOf, type Mutant } from './mutant.ts';

const running = ['service/src/features/lists/list-runs.test.ts', 'service/src/features/lists/lists.test.ts'];
const serving = [
  'service/src/features/lists/row-result.test.ts',
  'service/src/features/lists/list-runs.test.ts',
  'service/src/features/lists/routes/lists.test.ts',
  'service/src/features/lists/lists.test.ts',
];

const storing = ['service/src/features/lists/list-storage.test.ts'];
const reading = ['service/src/features/lists/reading/workbook-readers.test.ts'];
const uploading = ['service/src/features/lists/routes/upload-places.test.ts'];

export const listMutants: readonly Mutant[] = [
  ...defectsOf('service/src/features/lists/list-storage.ts', storing, {
    'an account stores what it likes': ['if (bytes > left)', 'if (bytes > left + 1e15)'],
    'a deleted list still takes room': [`\n    .where('state', '<>', sql.lit('deleted' as const))`, ''],
    'test lists take the room of live ones': [`\n    .where('mode', '=', arg.mode)`, ''],
    'accounts share their room': [`    .where('account_id', '=', arg.account)\n`, ''],
    'an account without credits has as much room': [
      'granted > 0 ? limits.listStorageBytes : limits.listStorageFreeBytes',
      'limits.listStorageBytes',
    ],
    'rows take no room': [' - bytesPerRow * rows', ''],
    'an upload of unknown size takes no room while it comes': [
      'await tx.change(writeBytes, { list: listId, bytes: taken });',
      'if (!isOpen) await tx.change(writeBytes, { list: listId, bytes: taken });',
    ],
  }),
  ...defectsOf('service/src/features/lists/list-actions.ts', storing, {
    'a repeated upload needs room': ['isRepeated: await isRepeated(wanted, parts)', 'isRepeated: false'],
  }),
  ...defectsOf('service/src/features/lists/reading/workbook-readers.ts', reading, {
    'any number of workbooks is read at once': ['inUse < limits.readers', 'inUse < 1_000'],
    'an account has every thread': [
      '(held.get(account) ?? 0) < limits.readersOfAccount',
      '(held.get(account) ?? 0) < 1_000',
    ],
    'a slow download keeps its thread from others': [
      'if (waiting > 0) giveUp();',
      'if (waiting > 1_000) giveUp();',
    ],
    'a slow download begins anew': ['if (number <= from) continue;', ''],
    'a slow download is read again though nobody waits': [
      'if (waiting > 0) giveUp();',
      'if (waiting >= 0) giveUp();',
    ],
    'a thread that ended holds its place': [
      '    await parts.return(undefined);\n    release();',
      '    await parts.return(undefined);',
    ],
  }),
  ...defectsOf('service/src/features/lists/routes/create-list.ts', uploading, {
    'an account holds every place for uploads': [
      'const uploadsPerAccount = 3;',
      'const uploadsPerAccount = 30;',
    ],
    'a client holds every place for uploads': ['const uploadsPerClient = 6;', 'const uploadsPerClient = 60;'],
    'uploads of test keys hold the places of live ones': ['[`${mode} ${accountId}`', '[`${accountId}`'],
    'an upload never gives its place back': ['add(holder, -1)', 'add(holder, 0)'],
  }),
  ...defectsOf('service/src/features/lists/settle-list-task.ts', running, {
    'a task of a list is settled without its fence': [`    .where('fence', '=', arg.fence)\n`, ''],
    'the next due time of a list is lost to a later one': [
      `        .when('next_due', '<', arg.next)\n        .then(eb.ref('next_due'))\n`,
      '',
    ],
    'the last deferred address decides when the list is due': ['Math.min(totals.next, next)', 'next'],
    'an address that was deferred is asked for ever': ['visits: arg.visits', 'visits: 0'],
    'a list charges what was not conclusive': ['totals.conclusive += conclusive', 'totals.conclusive += 1'],
    'answers are counted once': [
      `eb('list_count.addresses', '+', eb.ref('excluded.addresses'))`,
      `eb.ref('excluded.addresses')`,
    ],
    'deferred addresses are not counted as waiting': ['totals.waiting += 1', 'totals.waiting += 0'],
  }),
  ...defectsOf('service/src/features/lists/start-list.ts', running, {
    'a list is started as it was before a new survey': [
      'JSON.stringify(scope.plan) !== JSON.stringify(list.plan)',
      'list.plan.layout === undefined',
    ],
    'one address too few is found': ['let before = wanted - 1;', 'let before = wanted;'],
    'a list of the sandbox is paid for': [`mode === 'test' || wanted === 0`, 'wanted === 0'],
    'a list starts without credits': ['ifAvailable: wanted,', 'ifAvailable: 0,'],
    'a list has twice its time': ['now + order.deadlineMs', 'now + 2 * order.deadlineMs'],
  }),
  ...defectsOf('service/src/features/lists/end-list.ts', running, {
    'a list never ends': [`eb('checked', '<', eb.ref('wanted'))`, `eb('checked', '<=', eb.ref('wanted'))`],
    'all that was wanted is charged': ['conclusive: charge }', 'wanted: charge }'],
    'an ended list has addresses that wait': ['waiting: 0, ', ''],
  }),
  ...defectsOf('service/src/features/lists/stop-list.ts', running, {
    'pausing twice is refused': [`if (list.state === already) return { kind: 'done' };`, ''],
    'a resumed list hands out nothing': ['      await planTasks(tx, list.id, order.now);\n', ''],
    'cancelling twice is refused': [`if (list.state === 'cancelled') return { kind: 'done' };`, ''],
    'a list that is deleted while it is paused keeps its credits': [
      `if (list.state === 'running' || list.state === 'paused')\n    await`,
      `if (list.state === 'running')\n    await`,
    ],
    'what a cancelled task has found is lost': [
      '    await absorbTask(tx, { taskId: id, listId });\n',
      '    if (id === listId) await absorbTask(tx, { taskId: id, listId });\n',
    ],
    'a list that has ended is cancelled': [
      `if (list.state !== 'running' && list.state !== 'paused') return`,
      `if (list.state === 'deleted') return`,
    ],
  }),
  ...defectsOf('service/src/features/lists/survey-list.ts', running, {
    'duplicates are told apart by their case': ['address.localPart.toLowerCase()', 'address.localPart'],
    'a list has a row too many': ['counts.rows >= mostRows', 'counts.rows > mostRows'],
    'repairs are not counted': ['if (repaired !== null) counts.repaired += 1;', ''],
    'duplicates are checked too': [`kind: 'duplicate',`, `kind: 'address',`],
  }),
  ...defectsOf('service/src/features/lists/plan-tasks.ts', running, {
    'more is checked than was wanted': [`      .where('row', '<=', arg.last)\n`, ''],
    'addresses are taken in the order of the file': [`      .orderBy('host')\n`, ''],
    'an address is handed out twice after its wait': [
      'tx.change(takeUp, { list: listId, row })',
      'Promise.resolve(row)',
    ],
    'new addresses make those that wait forgotten': ['?.next ?? null) : nextDue;', '?.next ?? null) : null;'],
    'addresses that wait are counted for ever': [
      `eb('waiting', '-', arg.waiting)`,
      `eb('waiting', '-', eb.lit(0))`,
    ],
    'an address is asked before its wait is over': [
      `    .where('next_at', '<=', arg.now)\n`,
      `    .where('next_at', 'is not', null)\n`,
    ],
    'an address forgets how often it was asked': [
      'return { email, listRow: row, visits, visited };',
      'return { email, listRow: row, visits: 0, visited };',
    ],
  }),
  ...defectsOf('service/src/features/lists/tend-lists.ts', running, {
    'a list past its deadline goes on': [`        eb('deadline_at', '<=', arg.now),\n`, ''],
    'a paused list past its deadline keeps its credits': ['of overdue)', 'of overdue.slice(0, 0))'],
    'addresses whose wait is over are left alone': [
      `eb('next_due', '<=', arg.now),`,
      `eb('next_due', '<=', 0),`,
    ],
    'a list is kept for ever': [`.where('expires_at', '<=', arg.now)`, `.where('expires_at', '<=', 0)`],
    'a death ends the uploads of all processes': [`\n    .where('owner', '=', arg.owner)`, ''],
    'the file of a deleted list is kept': [
      'if (piece !== undefined) {',
      'if (piece !== undefined && now < 0) {',
    ],
  }),
  ...defectsOf('service/src/features/lists/list.ts', serving, {
    'the list of another account is found': [`.where('list.account_id', '=', arg.account)`, ''],
    'a deleted list is found': [` || row.state === 'deleted'`, ''],
  }),
  ...defectsOf('service/src/features/lists/change-list.ts', serving, {
    'another column takes the choice to split away': ['wish.split ?? list.split', 'wish.split ?? false'],
    'rows of the column before are kept': ['from <= list.counts.rows;', 'from <= 0;'],
    'a list that runs gets another column': [
      `if (list.state !== 'surveyed') return { kind: 'wrong_state', state: list.state };`,
      '',
      'The statement that forgets the plan asks for the state once more, and refuses with the same answer.',
    ],
  }),
  ...defectsOf('service/src/features/lists/row-result.ts', serving, {
    'the last wanted row was not wanted': ['firstRow <= run.lastRow', 'firstRow < run.lastRow'],
    'what has no answer at the deadline is pending': [
      `if (state === 'completed') return`,
      `if (state === 'receiving') return`,
    ],
    'role accounts are sendable though they are not wanted': [
      `text === 'sendable' && !roles`,
      `text === 'sendable' && roles`,
    ],
    'a status that does not exist is chosen': [
      '!wanted.every((status) => statuses.has(status))',
      'wanted.length === 0',
    ],
    'what was cancelled is pending': [
      `if (state === 'cancelled') return`,
      `if (state === 'receiving') return`,
    ],
  }),
  {
    name: 'a paused list begins further addresses',
    file: 'service/src/core/verify/tasks/items.ts',
    find: `.where('task.next_at', '<', eb.lit(shelved))`,
    replace: '',
    tests: ['service/src/features/lists/list-runs.test.ts'],
  },
];
