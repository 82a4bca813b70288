import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';

/** The program in a folder that {@link bundleProgram} filled. */
export const bundledProgram = 'mailproof.mjs';

/** Runs in a thread of its own, so it is a program beside the other; releases before it have none. */
const threadProgram = 'service/src/features/lists/reading/workbook-thread';

/**
 * The service and the command line of a checkout as one file, the thread that reads workbooks and the few lists: what tests of upgrades
 * need of a release, a twentieth of its package. The page of the API's reference and the console are not in it, and of
 * the disposable domains there is one.
 */
export async function bundleProgram(checkout: string, into: string): Promise<void> {
  const options: BuildOptions = {
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // An optional part of `pg` that we never install.
    external: ['pg-native'],
    // Packages that are CommonJS ask for these.
    banner: { js: commonJsNames },
    plugins: [withoutReferencePage, ownSources(checkout)],
  };
  const programs = [{ source: 'cli/src/main.ts', outfile: join(into, bundledProgram) }];
  if (existsSync(join(checkout, `${threadProgram}.ts`)))
    programs.push({ source: `${threadProgram}.ts`, outfile: join(into, `${threadProgram}.js`) });
  for (const { source, outfile } of programs)
    await build({ ...options, entryPoints: [join(checkout, source)], outfile });
  const lists = 'engine/src/lists/data';
  const files = ['package.json', lists, 'cli/src/domain-lists/by-hand', 'service/src/features/forms/form.js'];
  for (const file of files) {
    mkdirSync(dirname(join(into, file)), { recursive: true });
    cpSync(join(checkout, file), join(into, file), { recursive: true });
  }
  writeFileSync(join(into, lists, 'disposable-domains.txt'), 'mailinator.com\n');
}

const commonJsNames = [
  `import { createRequire as requireFrom } from 'node:module';`,
  `const require = requireFrom(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`,
].join('\n');

const withoutReferencePage: Plugin = {
  name: 'without the page of the reference',
  setup(building) {
    const namespace = 'no-page';
    building.onResolve({ filter: /^@scalar\/fastify-api-reference$/ }, ({ path }) => ({ path, namespace }));
    building.onLoad({ filter: /.*/, namespace }, () => ({
      contents: 'export default async () => undefined;',
    }));
  },
};

/** Workspaces are those of the checkout, and each of its files believes to stand where it stood, as JavaScript. */
function ownSources(checkout: string): Plugin {
  return {
    name: 'own sources',
    setup(building) {
      building.onResolve({ filter: /^@mailproof\// }, ({ path }) => ({ path: entryOf(checkout, path) }));
      building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(checkout, path);
        const source = readFileSync(path, 'utf8')
          .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(file)}')`)
          .replaceAll('import.meta.url', `new URL('${file.replace(/\.ts$/, '.js')}', import.meta.url).href`);
        return { contents: source, loader: 'ts' };
      });
    },
  };
}

function entryOf(checkout: string, specifier: string): string {
  const [, workspace = '', ...rest] = specifier.split('/');
  const manifest = readFileSync(join(checkout, workspace, 'package.json'), 'utf8');
  const { exports } = JSON.parse(manifest) as { exports: string | Record<string, string> };
  const table = typeof exports === 'string' ? { '.': exports } : exports;
  const file = table[['.', ...rest].join('/')];
  if (file === undefined) throw new Error(`${workspace} exports no ${specifier}`);
  return join(checkout, workspace, file);
}
