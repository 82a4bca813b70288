/**
 * Where a proxy has the service on its host (`MAILPROOF_BASE_PATH`); empty where it is at the root. The page is told by
 * the address of its own script, which is always `assets/…` below it.
 */
export const basePath = readBasePath(import.meta.url);

export function readBasePath(scriptUrl: string): string {
  const { pathname } = new URL(scriptUrl);
  const end = pathname.lastIndexOf('/assets/');
  return end === -1 ? '' : pathname.slice(0, end);
}

/** The path as the browser has to ask for it. */
export function pathTo(path: string): string {
  return `${basePath}${path}`;
}

/** The other way round: the path of a page, wherever the service stands. */
export function withoutBasePath(path: string, base = basePath): string {
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
