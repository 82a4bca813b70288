import type { TestEvent } from 'node:test/reporters';
import { relative } from 'node:path';
import { isCi, type Environment } from './test-programs.ts';

/** A suite or test that did not run. */
export type Skip = { file: string; name: string; reason: string };

/** The folder of files that `npm test` writes, each of which runs the tests of several. */
export const batchesFolder = '.cache/batches';

type StackedName = { nesting: number; name: string };

/**
 * A reporter for `node --test` that writes each skip as a line of JSON. A skip stands under the file that runs it, not
 * under the one that calls `test`: suites over both databases share that call.
 */
export default async function* reportSkips(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const stack: string[] = [];
  let skips: { path: string[]; reason: string }[] = [];
  const enter = ({ nesting, name }: StackedName) => stack.splice(nesting, stack.length, name);
  for await (const { type, data } of source) {
    if (type === 'test:start') enter(data);
    else if (type === 'test:pass' && data.skip !== undefined && data.skip !== false) {
      enter(data);
      skips.push({ path: [...stack], reason: typeof data.skip === 'string' ? data.skip : 'skipped' });
    } else if (type === 'test:summary' && data.file !== undefined) {
      for (const skip of skips) yield `${JSON.stringify(placed(skip, data.file))}\n`;
      skips = [];
    }
  }
}

function placed({ path, reason }: { path: string[]; reason: string }, entry: string): Skip {
  const file = relative(process.cwd(), entry);
  const [first = '', ...rest] = path;
  const inBatch = file.startsWith(batchesFolder);
  return inBatch ? { file: first, name: rest.join(' › '), reason } : { file, name: path.join(' › '), reason };
}

/** Names the suites and tests that did not run, by reason and file. */
export function describeSkips(skips: readonly Skip[]): string[] {
  return [...Map.groupBy(skips, ({ reason }) => reason)].flatMap(([reason, all]) => {
    const byFile = Map.groupBy(all, ({ file }) => file);
    const lines = [...byFile]
      .sort(([a], [b]) => a.localeCompare(b))
      .flatMap(([file, inFile]) => [`    ${file}: ${inFile.map(({ name }) => name).join('; ')}`]);
    const files = byFile.size === 1 ? '1 file' : `${byFile.size} files`;
    const count = all.length === 1 ? '1 suite or test' : `${all.length} suites and tests`;
    return [`  ${reason}: ${count} of ${files} did not run`, ...lines];
  });
}

/** The exit status of a run: with CI=true, a run that skipped something has failed. */
export function statusWith(skips: readonly Skip[], status: number, env: Environment): number {
  return status === 0 && skips.length > 0 && isCi(env) ? 1 : status;
}
