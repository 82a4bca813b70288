export const singlePath = '/api/v1/email-verification';
export const bulkPath = '/api/v1/bulk-email-verification';
export const taskPath = '/api/v1/bulk-email-verification/:taskId';

/** Everything below is the operator's, and is there only if an admin token is set. */
export const adminPath = '/admin/v1';

const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Methods = readonly string[];

/**
 * The paths that the service answers, gathered from its routes. At these another method is 405; elsewhere all is 404. An
 * id in a path stands for anything but nothing and a slash, `*` for everything below.
 */
export type PathTable = {
  add: (path: string, method: string | readonly string[]) => void;
  /** Tells whether a URL that was led to a route is spelled as its path. */
  isPathOf: (route: string, url: string) => boolean;
  /** The methods of a path, for the `Allow` header of a 405; none if there is no such path. */
  methodsAt: (url: string) => Methods | undefined;
  /** Tells whether a path begins like one of the service's own. */
  isOurs: (path: string) => boolean;
};

type PathEntry = { methods: Methods; pattern: RegExp | undefined };

export function createPathTable(): PathTable {
  const byPath = new Map<string, PathEntry>();
  return {
    add: (path, method) => {
      const own = [...(byPath.get(path)?.methods ?? []), ...[method].flat()];
      byPath.set(path, { methods: methods.filter((one) => own.includes(one)), pattern: patternOf(path) });
    },
    isPathOf: (route, url) => {
      const path = decodedPath(url);
      return path === route || (byPath.get(route)?.pattern?.test(path) ?? false);
    },
    methodsAt: (url) => {
      const path = decodedPath(url);
      const found = byPath.get(path) ?? byPath.values().find(({ pattern }) => pattern?.test(path));
      return found?.methods;
    },
    isOurs: (path) => {
      const first = firstSegment(path);
      return [...byPath.keys()].some((own) => firstSegment(own) === first);
    },
  };
}

function patternOf(path: string): RegExp | undefined {
  if (!/[:*]/.test(path)) return undefined;
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.+')}$`);
}

/**
 * Returns the path of a target that names the whole URL (RFC 9112 section 3.2.2), as proxies send it, if it is
 * ours.
 */
export function withoutOrigin(target: string): string {
  if (target.startsWith('/')) return target;
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return target;
  const path = target.slice(origin.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * A proxy may have the service under a path, and pass that path on or take it off: both are understood. Nothing of ours
 * begins like a base path (`PathTable.isOurs`), so there is no doubt which it was.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? '';
}

/** Tells whether a URL is under the API, whose answers all report their cost and may not be cached. */
export function isApiUrl(url: string): boolean {
  return url.startsWith('/api/');
}

export function isProbeUrl(url: string): boolean {
  return url.startsWith('/probe/');
}

/**
 * Tells whether a path is the operator's. It reads the path as the router sees it, so that no spelling bypasses the
 * check.
 */
export function isAdminUrl(url: string): boolean {
  const path = decodedPath(url);
  return path === adminPath || path.startsWith(`${adminPath}/`);
}

/** Returns the decoded path, as the router matches it; a URL that does not decode is no path of ours. */
export function decodedPath(url: string): string {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
