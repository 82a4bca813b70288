import type { IconName } from '../parts/elements.tsx';
import type { Features, Owner } from './features.ts';

type PageEntry = {
  kind: string;
  /** `:id` stands for the thing that the page shows. */
  path: string;
  feature: Owner;
  /** The session that the page needs; `any` also draws it without one. */
  session: 'account' | 'operator' | 'any';
  /** The link in the navigation. */
  link?: readonly [label: string, icon: IconName];
  /** The page whose link is marked in the navigation while this one is shown. */
  under?: string;
};

/** Every page of the console. `shell/app.tsx` draws each by its kind. */
const pages = [
  { kind: 'check', path: '/check', feature: 'core', session: 'account', link: ['Check', 'check'] },
  { kind: 'lists', path: '/lists', feature: 'lists', session: 'account', link: ['Lists', 'lists'] },
  { kind: 'list', path: '/lists/:id', feature: 'lists', session: 'account', under: 'lists' },
  { kind: 'tasks', path: '/tasks', feature: 'core', session: 'account', link: ['Tasks', 'tasks'] },
  { kind: 'task', path: '/tasks/:id', feature: 'core', session: 'account', under: 'tasks' },
  { kind: 'account', path: '/account', feature: 'core', session: 'account', link: ['Account', 'account'] },
  { kind: 'webhooks', path: '/webhooks', feature: 'webhooks', session: 'account', under: 'account' },
  { kind: 'webhook', path: '/webhooks/:id', feature: 'webhooks', session: 'account', under: 'account' },
  { kind: 'invitation', path: '/invitation', feature: 'people', session: 'any' },
  {
    kind: 'operator',
    path: '/operator',
    feature: 'operator',
    session: 'operator',
    link: ['Health', 'tasks'],
  },
  {
    kind: 'operator_accounts',
    path: '/operator/accounts',
    feature: 'operator',
    session: 'operator',
    link: ['Accounts', 'account'],
  },
  {
    kind: 'operator_account',
    path: '/operator/accounts/:id',
    feature: 'operator',
    session: 'operator',
    under: 'operator_accounts',
  },
  {
    kind: 'operator_audit',
    path: '/operator/audit-log',
    feature: 'operator',
    session: 'operator',
    link: ['Audit log', 'lists'],
  },
] as const satisfies readonly PageEntry[];

export type PageKind = (typeof pages)[number]['kind'];

/** An address of the console: a page with the id of its thing, or none. */
export type Route = { kind: 'home' | 'not_found' } | { kind: PageKind; id?: string };

export function readRoute(path: string): Route {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (plain === '/') return { kind: 'home' };
  const end = plain.lastIndexOf('/');
  const [folder, id] = [plain.slice(0, end), plain.slice(end + 1)];
  const page = pages.find(({ path: known }) =>
    known.endsWith('/:id') ? known === `${folder}/:id` && id !== '' : known === plain,
  );
  if (page === undefined) return { kind: 'not_found' };
  return page.path.endsWith('/:id') ? { kind: page.kind, id: decode(id) } : { kind: page.kind };
}

/** Returns a malformed path as it is; the service then finds nothing under that id. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function findPage(kind: Route['kind']): (PageEntry & { kind: PageKind }) | undefined {
  return pages.find((page) => page.kind === kind);
}

/** Returns the links of the navigation, without pages whose feature the installation lacks. */
export function navigationOf(session: PageEntry['session'], features: Features) {
  return pages
    .map((page): PageEntry => page)
    .flatMap(({ kind, path, feature, session: needed, link }) =>
      link === undefined || needed !== session || !features.has(feature)
        ? []
        : [{ kind, path, label: link[0], icon: link[1] }],
    );
}
