/**
 * What each operation of the API is about. Who may call it is not written here: that is read from the route itself, and
 * the mode of a caller decides what of it is found (see src/core/http/access-matrix.test.ts). A route without an entry fails.
 */
export type RecordKind = 'task' | 'list' | 'webhook' | 'key' | 'form_key';

export type Entry = {
  /** The record that its path names. */
  about?: RecordKind;
  /** The records that its answer lists. */
  shows?: RecordKind;
  /** Changes of what belongs to live mode alone. */
  liveOnly?: true;
  /** Nothing is found, even by the right caller: the record is too young. */
  empty?: true;
  body?: object | string;
};

const hook = { url: 'https://hooks.example.com/in', events: ['task.completed'] };

/** Within what every key with `account:write` has. */
const narrowKey = { mode: 'test', scopes: ['account:write'] };

export const accessTable: Readonly<Record<string, Entry>> = {
  verifyEmail: { body: { email: 'safe@example.com' } },
  createBulkTask: { body: { emails: ['nonsense'] } },
  readBulkTask: { about: 'task' },
  createList: { body: 'email\na@x.example\n' },
  listLists: { shows: 'list' },
  readList: { about: 'list' },
  readListRows: { about: 'list' },
  explainListRow: { about: 'list', empty: true },
  downloadList: { about: 'list' },
  changeList: { about: 'list', body: { name: 'theirs now' } },
  startList: { about: 'list', body: {} },
  pauseList: { about: 'list' },
  resumeList: { about: 'list' },
  cancelList: { about: 'list' },
  deleteList: { about: 'list' },
  readAccount: {},
  readLedger: {},
  readUsage: {},
  listTasks: { shows: 'task' },
  listKeys: { shows: 'key' },
  createKey: { body: narrowKey },
  changeKey: { about: 'key', body: { name: 'theirs now' } },
  deleteKey: { about: 'key' },
  listFormKeys: { shows: 'form_key' },
  createFormKey: { liveOnly: true, body: { origins: ['https://www.example.com'] } },
  deleteFormKey: { about: 'form_key', liveOnly: true },
  listWebhooks: { shows: 'webhook' },
  createWebhook: { liveOnly: true, body: hook },
  readWebhook: { about: 'webhook' },
  changeWebhook: { about: 'webhook', liveOnly: true, body: { enabled: true } },
  deleteWebhook: { about: 'webhook', liveOnly: true },
  rotateWebhookSecret: { about: 'webhook', liveOnly: true },
  testWebhook: { about: 'webhook', liveOnly: true },
  listWebhookDeliveries: { about: 'webhook' },
  resendWebhookDelivery: { about: 'webhook', liveOnly: true },
  listPeople: {},
  changePerson: { body: { role: 'viewer' } },
  removePerson: {},
  invitePerson: { body: { role: 'viewer' } },
  withdrawInvitation: {},
  checkForm: { body: { email: 'jane@example.com' } },
  adminListAccounts: {},
  adminCreateAccount: { body: { name: 'new' } },
  adminReadAccount: {},
  adminChangeAccount: { body: { plan: 'none' } },
  adminGrantCredits: { body: { credits: 1 } },
  adminUnfreezeAccount: { body: { reason: 'looked at' } },
  adminListKeys: {},
  adminCreateKey: { body: {} },
  adminChangeKey: { body: { name: 'x' } },
  adminDeleteKey: {},
  adminListPeople: {},
  adminInvitePerson: { body: { role: 'owner' } },
  adminReadLedger: {},
  adminListTasks: {},
  adminReadHealth: {},
  adminListProbers: {},
  adminEndRest: { body: { name: 'nowhere.example' } },
  adminFindRequest: {},
  adminReadAuditLog: {},
  enrolProber: { body: { token: 'mp_enrol_x' } },
  leaseProbes: { body: {} },
  reportProbes: { body: {} },
  readSession: {},
  signIn: {},
  signOut: {},
  readSignInOptions: {},
  beginProviderSignIn: {},
  healthz: {},
  readyz: {},
};
