export const singlePath = '/api/v1/email-verification';
export const bulkPath = '/api/v1/bulk-email-verification';
export const taskPath = '/api/v1/bulk-email-verification/:taskId';

export const listsPath = '/api/v1/lists';
export const listPath = '/api/v1/lists/:listId';
export const listRowsPath = '/api/v1/lists/:listId/rows';
export const listRowPath = '/api/v1/lists/:listId/rows/:row';
export const listDownloadPath = '/api/v1/lists/:listId/download';
export const listActionPath = (action: 'start' | 'pause' | 'resume' | 'cancel') =>
  `/api/v1/lists/:listId/${action}` as const;

export const enrolPath = '/probe/v1/enrol';
export const leasePath = '/probe/v1/lease';
export const reportPath = '/probe/v1/report';
export const webhooksPath = '/api/v1/webhooks';
export const webhookPath = '/api/v1/webhooks/:webhookId';
export const webhookSecretPath = '/api/v1/webhooks/:webhookId/rotate-secret';
export const webhookTestPath = '/api/v1/webhooks/:webhookId/test';
export const webhookDeliveriesPath = '/api/v1/webhooks/:webhookId/deliveries';
export const webhookDeliverySendPath = '/api/v1/webhooks/:webhookId/deliveries/:deliveryId/send';

export const sessionPath = '/session';
export const signInOptionsPath = '/session/options';
export const providerPath = '/session/provider';
export const callbackPath = '/session/callback';
export const peoplePath = '/api/v1/account/people';
export const personPath = '/api/v1/account/people/:personId';
export const invitationsPath = '/api/v1/account/invitations';
export const invitationPath = '/api/v1/account/invitations/:invitationId';
export const accountPath = '/api/v1/account';
export const accountLedgerPath = '/api/v1/account/ledger';
export const accountUsagePath = '/api/v1/account/usage';
export const accountTasksPath = '/api/v1/account/tasks';
export const accountKeysPath = '/api/v1/account/keys';
export const accountKeyPath = '/api/v1/account/keys/:keyId';

export const formCheckPath = '/api/v1/form-check';
export const formScriptPath = '/form.js';
export const formPagePath = '/docs/form';
export const formKeysPath = '/api/v1/account/form-keys';
export const formKeyPath = '/api/v1/account/form-keys/:formKey';

/** Where the console is: these and all below them are one page, which reads its address itself. */
export const consolePaths = [
  '/',
  '/check',
  '/lists',
  '/tasks',
  '/account',
  '/webhooks',
  '/invitation',
  '/operator',
];
export const consolePathsBelow = ['/lists/*', '/tasks/*', '/webhooks/*', '/operator/*'];
export const assetPath = '/assets/*';

/** Everything below is the operator's, and is there only where an admin token is set. */
export const adminPath = '/admin/v1';

/** For agents, beside the docs. */
export const mcpPath = '/mcp';
export const llmsPath = '/llms.txt';

/** For owners of mail servers; here only where a contact is set. */
export const aboutPath = '/about-this-host';

/** Here only where a token for it is set and it has no port of its own. */
export const metricsPath = '/metrics';

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
type Methods = readonly Method[];

/** Which methods each path answers to. Any other there is 405; anywhere else it is 404. */
const methodsByPath: ReadonlyMap<string, Methods> = new Map([
  [singlePath, ['POST']],
  [bulkPath, ['POST']],
  [listsPath, ['GET', 'POST']],
  ['/healthz', ['GET', 'HEAD']],
  ['/readyz', ['GET', 'HEAD']],
  [metricsPath, ['GET', 'HEAD']],
  [aboutPath, ['GET', 'HEAD']],
  ['/openapi.json', ['GET']],
  [mcpPath, ['POST']],
  [llmsPath, ['GET', 'HEAD']],
  ['/docs', ['GET']],
  ['/docs/', ['GET']],
  ['/docs/js/scalar.js', ['GET']],
  [enrolPath, ['POST']],
  [leasePath, ['POST']],
  [reportPath, ['POST']],
  [sessionPath, ['GET', 'POST', 'DELETE']],
  [signInOptionsPath, ['GET']],
  [providerPath, ['POST']],
  [callbackPath, ['GET']],
  [peoplePath, ['GET']],
  [invitationsPath, ['POST']],
  [accountPath, ['GET']],
  [accountLedgerPath, ['GET']],
  [accountUsagePath, ['GET']],
  [accountTasksPath, ['GET']],
  [accountKeysPath, ['GET', 'POST']],
  [formKeysPath, ['GET', 'POST']],
  [formCheckPath, ['POST', 'OPTIONS']],
  [formScriptPath, ['GET', 'HEAD']],
  [formPagePath, ['GET']],
  [webhooksPath, ['GET', 'POST']],
  ...consolePaths.map((path): [string, Methods] => [path, ['GET', 'HEAD']]),
  [`${adminPath}/accounts`, ['GET', 'POST']],
  [`${adminPath}/health`, ['GET']],
  [`${adminPath}/probers`, ['GET']],
  [`${adminPath}/audit-log`, ['GET']],
]);

/** The paths with an id in them, which stands for anything but nothing and a slash, or with everything below (`*`). */
const methodsByPattern: readonly [string, Methods][] = [
  [taskPath, ['GET']],
  [listPath, ['GET', 'PATCH', 'DELETE']],
  [listRowsPath, ['GET']],
  [listRowPath, ['GET']],
  [listDownloadPath, ['GET']],
  ...(['start', 'pause', 'resume', 'cancel'] as const).map((action): [string, Methods] => [
    listActionPath(action),
    ['POST'],
  ]),
  [accountKeyPath, ['PATCH', 'DELETE']],
  [personPath, ['PATCH', 'DELETE']],
  [invitationPath, ['DELETE']],
  [formKeyPath, ['DELETE']],
  [webhookPath, ['GET', 'PATCH', 'DELETE']],
  [webhookSecretPath, ['POST']],
  [webhookTestPath, ['POST']],
  [webhookDeliveriesPath, ['GET']],
  [webhookDeliverySendPath, ['POST']],
  ...[assetPath, ...consolePathsBelow].map((path): [string, Methods] => [path, ['GET', 'HEAD']]),
  [`${adminPath}/rests/end`, ['POST']],
  [`${adminPath}/accounts/:accountId`, ['GET', 'PATCH']],
  [`${adminPath}/accounts/:accountId/grants`, ['POST']],
  [`${adminPath}/accounts/:accountId/unfreeze`, ['POST']],
  [`${adminPath}/accounts/:accountId/keys`, ['GET', 'POST']],
  [`${adminPath}/accounts/:accountId/keys/:keyId`, ['PATCH', 'DELETE']],
  [`${adminPath}/accounts/:accountId/people`, ['GET']],
  [`${adminPath}/accounts/:accountId/invitations`, ['POST']],
  [`${adminPath}/accounts/:accountId/ledger`, ['GET']],
  [`${adminPath}/accounts/:accountId/tasks`, ['GET']],
  [`${adminPath}/requests/:requestId`, ['GET']],
];

const patterns: ReadonlyMap<string, RegExp> = new Map(
  methodsByPattern.map(([path]) => [path, patternOf(path)]),
);

/** Whether a URL that was led to a route is spelled as its path. */
export function isPathOf(route: string, url: string): boolean {
  const path = pathOf(url);
  return path === route || (patterns.get(route)?.test(path) ?? false);
}

/** The methods a path would answer to, for the `Allow` header of a 405, or nothing where there is no such path. */
export function methodsAt(url: string): Methods | undefined {
  const path = pathOf(url);
  return (
    methodsByPath.get(path) ?? methodsByPattern.find(([pattern]) => patterns.get(pattern)?.test(path))?.[1]
  );
}

/** A target may name the whole URL (RFC 9112 section 3.2.2), as proxies ask for it; where it is of ours, its path counts. */
export function withoutOrigin(target: string): string {
  if (target.startsWith('/')) return target;
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return target;
  const path = target.slice(origin.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * A proxy may have the service under a path, and pass that path on or take it off: both are understood. Nothing of ours
 * begins like a base path (`isOurs`), so there is no doubt which it was.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

/** Whether a path begins like one of the service's own. */
export function isOurs(path: string): boolean {
  const first = firstSegment(path);
  return [...methodsByPath.keys(), ...patterns.keys()].some((own) => firstSegment(own) === first);
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? '';
}

/** Whether a URL is under the API, where every answer says what it cost and may not be kept. */
export function isApiUrl(url: string): boolean {
  return url.startsWith('/api/');
}

export function isProbeUrl(url: string): boolean {
  return url.startsWith('/probe/');
}

/** Asked of the path as the router sees it, so that no spelling of it leads past the check. */
export function isAdminUrl(url: string): boolean {
  const path = pathOf(url);
  return path === adminPath || path.startsWith(`${adminPath}/`);
}

/** Whether it is only there where an OpenID provider is set. */
export function isPeopleUrl(url: string): boolean {
  const path = pathOf(url);
  return (
    [providerPath, callbackPath, peoplePath, invitationsPath].includes(path) ||
    [`${peoplePath}/`, `${invitationsPath}/`].some((folder) => path.startsWith(folder)) ||
    /^\/admin\/v1\/accounts\/[^/]+\/(?:people|invitations)$/.test(path)
  );
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.+')}$`);
}

/** The router matches decoded paths, so the same is done here; what does not decode is no path of ours. */
function pathOf(url: string): string {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
