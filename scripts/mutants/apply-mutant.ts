import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutant.ts';

/**
 * Loaded before anything else in every process of a test run: hands out one source file with a defect in it. The files
 * themselves stay as they are.
 */
const { file, find, replace } = JSON.parse(process.env['MAILPROOF_MUTANT'] ?? '{}') as Partial<Mutant>;

if (file !== undefined && find !== undefined && replace !== undefined) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.startsWith('file:') || !fileURLToPath(url).endsWith(file)) return loaded;
      const source = textOf(loaded.source ?? '');
      return { ...loaded, source: source.replace(find, () => replace) };
    },
  });
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
