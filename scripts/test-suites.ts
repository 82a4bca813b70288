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
