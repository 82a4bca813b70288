import { globSync } from 'node:fs';

/**
 * The command that runs a test. Tests that need minutes stand in a folder `test/faults` and run with `npm run
 * test:faults`: kills in rounds, failovers, load at volume, every theme and width of the browser. Tests that need
 * containers stand in `test/containers` and run with `npm run test:image`. All others run with `npm test`. So each file
 * is in exactly one of the three. `npm run test:unit` runs the part of `npm test` that stands beside the code, on
 * SQLite alone.
 */
export type Suite = 'everyday' | 'unit' | 'faults' | 'containers';

const everyTest = [
  '*.test.ts',
  '{engine,client,service,cli,world,console,bench}/{src,test}/**/*.test.ts',
  'scripts/**/*.test.ts',
];

const besideTheCode = /^(?:engine|client|console|service|world)\/src\//;

function suiteOf(file: string): Suite {
  const folder = /(?:^|\/)test\/(faults|containers)\//.exec(file)?.[1];
  return folder === 'faults' || folder === 'containers' ? folder : 'everyday';
}

/** Returns the files of a suite below `root`, as paths relative to it. */
export function listTests(suite: Suite, root: string): string[] {
  const whole = suite === 'unit' ? 'everyday' : suite;
  return globSync(everyTest, { cwd: root })
    .filter((file) => suiteOf(file) === whole && (suite !== 'unit' || besideTheCode.test(file)))
    .sort();
}

/**
 * Groups test files that run in one process, one after the other, because loading the service takes longer than most of
 * them run. Files that start programs and browsers, or measure what a process needs, run alone.
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
