import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/**
 * The console as it was built, read once at the start and kept in memory: it is small, and a name that is not in the
 * table is not there, so that no path can lead out of the folder.
 */
export type ConsoleFiles = {
  /** The one page; `undefined` where the console was not built. */
  page: ConsoleFile | undefined;
  assets: ReadonlyMap<string, ConsoleFile>;
};

export type ConsoleFile = {
  type: string;
  /** Whether the name changes with the content, so that a browser may keep it for ever. */
  hashed: boolean;
  /** The best compressed first; the plain one is always there, and last. */
  forms: ConsoleForm[];
};

export type ConsoleForm = { encoding: 'br' | 'gzip' | 'identity'; bytes: Buffer; etag: string };

export const noConsoleFiles: ConsoleFiles = { page: undefined, assets: new Map() };

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
]);

/** Reads the console for the features of an installation; without names, its page shows all of them. */
export function readConsoleFiles(
  folder: string,
  basePath: string,
  features?: readonly string[],
): ConsoleFiles {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return noConsoleFiles;
  const assets = join(folder, 'assets');
  const names = existsSync(assets) ? readdirSync(assets).filter((name) => types.has(extname(name))) : [];
  return {
    page: fitted(readFile(page), { basePath, features }),
    assets: new Map(names.map((name) => [name, readFile(join(assets, name))])),
  };
}

function readFile(path: string): ConsoleFile {
  const compressed = [
    { encoding: 'br' as const, path: `${path}.br` },
    { encoding: 'gzip' as const, path: `${path}.gz` },
  ].filter((form) => existsSync(form.path));
  const forms = [...compressed, { encoding: 'identity' as const, path }].map((form) => ({
    encoding: form.encoding,
    ...withTag(readFileSync(form.path)),
  }));
  return {
    type: types.get(extname(path)) ?? 'application/octet-stream',
    hashed: /-[\dA-Z]{8}\.\w+$/i.test(path),
    forms,
  };
}

/**
 * The page with the base path before what it loads, and with the names of the features. Its script takes the base path
 * from its own address; the page may stand at any depth, so it has to name the whole path.
 */
function fitted(
  page: ConsoleFile,
  { basePath, features }: { basePath: string; features: readonly string[] | undefined },
): ConsoleFile {
  const plain = page.forms.find(({ encoding }) => encoding === 'identity');
  if ((basePath === '' && features === undefined) || plain === undefined) return page;
  const named =
    features === undefined ? '' : `<meta name="mailproof-features" content="${features.join(',')}">`;
  const text = plain.bytes
    .toString()
    .replaceAll('"/assets/', `"${basePath}/assets/`)
    .replace(/<meta name="mailproof-features"[^>]*>/, named);
  const bytes = Buffer.from(text);
  return {
    ...page,
    forms: [
      { encoding: 'br', ...withTag(brotliCompressSync(bytes)) },
      { encoding: 'gzip', ...withTag(gzipSync(bytes)) },
      { encoding: 'identity', ...withTag(bytes) },
    ],
  };
}

/** Each encoding has its own tag, because a strong tag identifies the bytes that are sent (RFC 9110 section 8.8.3). */
function withTag(bytes: Buffer): { bytes: Buffer; etag: string } {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
