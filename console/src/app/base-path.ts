/**
 * The URL path prefix behind a reverse proxy (`MAILPROOF_BASE_PATH`); empty without one. The page reads it from the URL
 * of its own script, which is always `assets/…` below the prefix.
 */
export const basePath = readBasePath(import.meta.url);

export function readBasePath(scriptUrl: string): string {
  const { pathname } = new URL(scriptUrl);
  const end = pathname.lastIndexOf('/assets/');
  return end === -1 ? '' : pathname.slice(0, end);
}

/** Returns the path with the base path, for the browser. */
export function pathTo(path: string): string {
  return `${basePath}${path}`;
}

/** Returns the path of a page, without the base path. */
export function withoutBasePath(path: string, base = basePath): string {
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
