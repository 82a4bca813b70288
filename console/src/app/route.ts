/** The pages there are. */
export type Route =
  | { kind: 'home' }
  | { kind: 'check' }
  | { kind: 'lists' }
  | { kind: 'list'; id: string }
  | { kind: 'tasks' }
  | { kind: 'task'; id: string }
  | { kind: 'account' }
  | { kind: 'webhooks' }
  | { kind: 'webhook'; id: string }
  | { kind: 'operator' }
  | { kind: 'operator_accounts' }
  | { kind: 'operator_account'; id: string }
  | { kind: 'operator_audit' }
  | { kind: 'invitation' }
  | { kind: 'not_found' };

const places: Readonly<Record<string, Route>> = {
  '/': { kind: 'home' },
  '/check': { kind: 'check' },
  '/lists': { kind: 'lists' },
  '/tasks': { kind: 'tasks' },
  '/account': { kind: 'account' },
  '/webhooks': { kind: 'webhooks' },
  '/invitation': { kind: 'invitation' },
  '/operator': { kind: 'operator' },
  '/operator/accounts': { kind: 'operator_accounts' },
  '/operator/audit-log': { kind: 'operator_audit' },
};

/** Folders with one page for each thing in them. */
const below: Readonly<Record<string, 'list' | 'task' | 'webhook' | 'operator_account'>> = {
  lists: 'list',
  tasks: 'task',
  webhooks: 'webhook',
  'operator/accounts': 'operator_account',
};

export function readRoute(path: string): Route {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  const place = Object.hasOwn(places, plain) ? places[plain] : undefined;
  if (place !== undefined) return place;
  const [, folder = '', id] = /^\/(lists|tasks|webhooks|operator\/accounts)\/([^/]+)$/.exec(plain) ?? [];
  const kind = below[folder];
  return kind === undefined || id === undefined ? { kind: 'not_found' } : { kind, id: decode(id) };
}

/** A path that is not well-formed names nothing, and is then not found by what it stands for. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
