export const singlePath = '/api/v1/email-verification';
export const bulkPath = '/api/v1/bulk-email-verification';
export const taskPath = '/api/v1/bulk-email-verification/:taskId';

/** Which method each path answers to. Anything else there is 405; anywhere else it is 404. */
const methodByPath: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  [singlePath, 'POST'],
  [bulkPath, 'POST'],
  ['/healthz', 'GET'],
  ['/readyz', 'GET'],
  ['/openapi.json', 'GET'],
  ['/docs', 'GET'],
  ['/docs/', 'GET'],
  ['/docs/js/scalar.js', 'GET'],
]);

/** The method a path would answer to, for the `Allow` header of a 405, or nothing where there is no such path. */
export function methodAt(url: string): 'GET' | 'POST' | undefined {
  const path = decodePath(url.split('?', 1)[0] ?? '');
  return methodByPath.get(path) ?? (isTaskPath(path) ? 'GET' : undefined);
}

/** Whether a URL is under the API, where every answer says what it cost and may not be kept. */
export function isApiUrl(url: string): boolean {
  return url.startsWith('/api/');
}

function isTaskPath(path: string): boolean {
  return (
    path.startsWith(`${bulkPath}/`) &&
    path.length > bulkPath.length + 1 &&
    !path.includes('/', bulkPath.length + 1)
  );
}

/** The router matches decoded paths, so the same is done here; what does not decode is no path of ours. */
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
