import type { PersonRole } from './contract.ts';
import {
  createAsk,
  holdsList,
  queryOf,
  request,
  type CallOptions,
  type Connection,
  type PageOptions,
} from './request.ts';
import type {
  Account,
  AccountKey,
  CreatedInvitation,
  CreatedKey,
  FormKey,
  FormKeyList,
  FormKeyRequest,
  InvitationRequest,
  KeyChange,
  KeyList,
  KeyRequest,
  LedgerPage,
  PeopleList,
  Person,
  TaskPage,
  Usage,
} from './account-types.ts';

/** Calls about the account of the key. All of them are free of charge. */
export type AccountCalls = {
  account(options?: CallOptions): Promise<Account>;
  /** The newest entries first; `before` is `next` of the page before. */
  ledger(options?: PageOptions): Promise<LedgerPage>;
  /** The last days, today included, the oldest first. */
  usage(options?: CallOptions & { days?: number | undefined }): Promise<Usage>;
  /** The newest tasks first, as long as they are kept. */
  tasks(options?: PageOptions): Promise<TaskPage>;
  keys: KeyCalls;
  formKeys: FormKeyCalls;
  people: PeopleCalls;
};

export type KeyCalls = {
  list(options?: CallOptions): Promise<KeyList>;
  /** The key is in the answer and nowhere else. */
  create(key?: KeyRequest, options?: CallOptions): Promise<CreatedKey>;
  /** Changes the name and the limits; a field that is not given stays as it is. It holds everywhere within a second. */
  change(keyId: string, change: KeyChange, options?: CallOptions): Promise<AccountKey>;
  rename(keyId: string, name: string, options?: CallOptions): Promise<AccountKey>;
  /** It stops working within a second. */
  delete(keyId: string, options?: CallOptions): Promise<void>;
};

/** Publishable keys, for forms in web pages. */
export type FormKeyCalls = {
  list(options?: CallOptions): Promise<FormKeyList>;
  create(key: FormKeyRequest, options?: CallOptions): Promise<FormKey>;
  /** It stops working within a second. */
  delete(formKey: string, options?: CallOptions): Promise<void>;
};

const accountPath = '/api/v1/account';
const keysPath = '/api/v1/account/keys';
const formKeysPath = '/api/v1/account/form-keys';

export function createAccountCalls(connection: Connection): AccountCalls {
  const ask = createAsk(connection);
  const read = <Body extends object>(
    path: string,
    signal: AbortSignal | undefined,
    isWhatWasAsked: (body: object) => body is Body,
  ) => ask({ method: 'GET', path, signal }, isWhatWasAsked);
  const changeKey: KeyCalls['change'] = (keyId, change, { signal } = {}) =>
    ask({ method: 'PATCH', path: pathOf(keyId), body: change, signal }, isKey);
  return {
    account: ({ signal } = {}) => read(accountPath, signal, isAccount),
    ledger: ({ signal, ...page } = {}) =>
      read(`${accountPath}/ledger${queryOf(page)}`, signal, holdsList<LedgerPage>('entries')),
    usage: ({ signal, days } = {}) =>
      read(`${accountPath}/usage${queryOf({ days })}`, signal, holdsList<Usage>('days')),
    tasks: ({ signal, ...page } = {}) =>
      read(`${accountPath}/tasks${queryOf(page)}`, signal, holdsList<TaskPage>('tasks')),
    keys: {
      list: ({ signal } = {}) => read(keysPath, signal, holdsList<KeyList>('keys')),
      create: (key = {}, { signal } = {}) =>
        ask({ method: 'POST', path: keysPath, body: key, signal }, isCreatedKey),
      change: changeKey,
      rename: (keyId, name, options) => changeKey(keyId, { name }, options),
      delete: async (keyId, { signal } = {}) => {
        await request({ method: 'DELETE', path: pathOf(keyId), signal }, connection);
      },
    },
    people: createPeopleCalls(connection),
    formKeys: {
      list: ({ signal } = {}) => read(formKeysPath, signal, holdsList<FormKeyList>('form_keys')),
      create: (key, { signal } = {}) =>
        ask({ method: 'POST', path: formKeysPath, body: key, signal }, isFormKey),
      delete: async (formKey, { signal } = {}) => {
        const path = `${formKeysPath}/${encodeURIComponent(formKey)}`;
        await request({ method: 'DELETE', path, signal }, connection);
      },
    },
  };
}

function pathOf(keyId: string): string {
  return `${keysPath}/${encodeURIComponent(keyId)}`;
}

function isAccount(body: object): body is Account {
  return 'account_id' in body && 'credits' in body;
}

function isKey(body: object): body is AccountKey {
  return 'key_id' in body && 'name' in body;
}

function isFormKey(body: object): body is FormKey {
  return 'form_key' in body && 'origins' in body;
}

function isCreatedKey(body: object): body is CreatedKey {
  return 'api_key' in body && 'key_id' in body;
}

/** The people of the account, if the service has an OpenID provider. For live keys without limits, and for owners. */
export type PeopleCalls = {
  list(options?: CallOptions): Promise<PeopleList>;
  /** The link is in the answer and nowhere else. */
  invite(invitation: InvitationRequest, options?: CallOptions): Promise<CreatedInvitation>;
  withdraw(invitationId: string, options?: CallOptions): Promise<void>;
  /** It holds everywhere within a second. */
  setRole(personId: string, role: PersonRole, options?: CallOptions): Promise<Person>;
  /** Their sessions end within a second. */
  remove(personId: string, options?: CallOptions): Promise<void>;
};

/** The same for the operator, of any account. */
export type AdminPeopleCalls = {
  list(accountId: string, options?: CallOptions): Promise<PeopleList>;
  /** The link is in the answer and nowhere else. */
  invite(accountId: string, invitation: InvitationRequest, options?: CallOptions): Promise<CreatedInvitation>;
};

function createPeopleCalls(connection: Connection): PeopleCalls {
  const ask = createAsk(connection);
  const drop = async (path: string, signal: AbortSignal | undefined) => {
    await request({ method: 'DELETE', path, signal }, connection);
  };
  return {
    list: ({ signal } = {}) =>
      ask({ method: 'GET', path: `${accountPath}/people`, signal }, holdsList<PeopleList>('people')),
    invite: (invitation, { signal } = {}) =>
      ask({ method: 'POST', path: `${accountPath}/invitations`, body: invitation, signal }, isInvitation),
    withdraw: (id, { signal } = {}) => drop(`${accountPath}/invitations/${encodeURIComponent(id)}`, signal),
    setRole: (id, role, { signal } = {}) =>
      ask(
        { method: 'PATCH', path: `${accountPath}/people/${encodeURIComponent(id)}`, body: { role }, signal },
        isPerson,
      ),
    remove: (id, { signal } = {}) => drop(`${accountPath}/people/${encodeURIComponent(id)}`, signal),
  };
}

export function createAdminPeopleCalls(connection: Connection): AdminPeopleCalls {
  const ask = createAsk(connection);
  const pathTo = (accountId: string) => `/admin/v1/accounts/${encodeURIComponent(accountId)}`;
  return {
    list: (accountId, { signal } = {}) =>
      ask({ method: 'GET', path: `${pathTo(accountId)}/people`, signal }, holdsList<PeopleList>('people')),
    invite: (accountId, invitation, { signal } = {}) =>
      ask(
        { method: 'POST', path: `${pathTo(accountId)}/invitations`, body: invitation, signal },
        isInvitation,
      ),
  };
}

function isPerson(body: object): body is Person {
  return 'person_id' in body && 'role' in body;
}

function isInvitation(body: object): body is CreatedInvitation {
  return 'invitation_id' in body && 'url' in body;
}
