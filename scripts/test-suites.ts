import { globSync } from 'node:fs';

/**
 * Which command runs a test. What needs minutes (processes killed in rounds, a database that fails over, load at
 * volume, every theme and width of the browser) stands in a folder `test/faults` and runs with `npm run test:faults`;
 * what needs a machine on which containers may be run stands in `test/containers` and runs with `npm run test:image`;
 * everything else runs with `npm test`. So each file is in exactly one of the three.
 */
export type Suite = 'everyday' | 'faults' | 'containers';

const everyTest = [
  '*.test.ts',
  '{engine,client,service,cli,world,console,bench}/{src,test}/**/*.test.ts',
  'scripts/**/*.test.ts',
];

export function suiteOf(file: string): Suite {
  const folder = /(?:^|\/)test\/(faults|containers)\//.exec(file)?.[1];
  return folder === 'faults' || folder === 'containers' ? folder : 'everyday';
}

/** The files of a suite below `root`, as paths relative to it. */
export function listTests(suite: Suite, root: string): string[] {
  return globSync(everyTest, { cwd: root })
    .filter((file) => suiteOf(file) === suite)
    .sort();
}

/**
 * Test files that run in one process, one after the other, because loading the service takes longer than most of them
 * run. What is left out starts programs and browsers of its own, or measures what a process needs.
 */
export function batchTests(files: readonly string[]): { batches: string[][]; alone: string[] } {
  const alone = files.filter((file) => !sharesProcess(file));
  const byPackage = Map.groupBy(files.filter(sharesProcess), (file) => file.slice(0, file.indexOf('/')));
  return { batches: [...byPackage.values()].flatMap(inBatches), alone };
}

const filesInBatch = 8;

function sharesProcess(file: string): boolean {
  return (
    /^(?:engine|client|service|cli|world|console)\/src\/|^(?:engine|service)\/test\/contract\//.test(file) &&
    !needsItsOwn.has(file)
  );
}

const needsItsOwn: ReadonlySet<string> = new Set(['engine/src/lists/load-cost.test.ts']);

function inBatches(files: string[]): string[][] {
  const batches = Math.ceil(files.length / filesInBatch);
  return Array.from({ length: batches }, (_, batch) => files.filter((_file, at) => at % batches === batch));
}
