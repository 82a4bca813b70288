import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands } from '../cli/src/commands.ts';
import type { Command } from '../cli/src/command.ts';
import {
  guideBlocks,
  operationsGuide,
  runAsTheyAre,
  runElsewhere,
  runWithNotes,
} from './test/support/operations-guide.ts';

const root = join(import.meta.dirname, '..');

describe('the guide for operators', () => {
  test('has no block of commands that no test runs', () => {
    const opened = operationsGuide.match(/^```\S/gm) ?? [];
    assert.equal(opened.length, guideBlocks.size, 'every block is of shell and has a name of its own');
    const run = [...runAsTheyAre, ...Object.keys(runWithNotes), ...Object.keys(runElsewhere)];
    assert.deepEqual([...guideBlocks.keys()].sort(), run.sort());
    assert.deepEqual(operationsGuide.match(/^ {4}\S.*/gm) ?? [], [], 'nor one that is indented');
  });

  test('names the tests that run its other blocks', () => {
    for (const { really } of Object.values(runWithNotes)) assert.ok(existsSync(join(root, really)), really);
    for (const [name, file] of Object.entries(runElsewhere))
      assert.ok(readFileSync(join(root, file), 'utf8').includes(`guideBlock('${name}')`), name);
  });

  test('uses only commands and options that exist', async () => {
    const used = [...operationsGuide.matchAll(/`mailproof (?<rest>[a-z][^`]*)`/g)].map(
      ({ groups }) => groups?.['rest'] ?? '',
    );
    assert.ok(used.length > 15);
    for (const line of used) {
      const [first = '', second = '', ...rest] = line.split(' ');
      const loaded = await commands.find(({ name }) => name === first)?.load();
      assert.ok(loaded !== undefined, `mailproof ${line}`);
      const command: Command | undefined =
        loaded.kind === 'command'
          ? loaded
          : loaded.actions[loaded.actions[second] ? second : (loaded.byDefault ?? '')];
      assert.ok(command !== undefined, `mailproof ${line}`);
      const options = [second, ...rest].filter((word) => word.startsWith('--'));
      for (const option of options) assert.ok(option.slice(2) in command.options, `mailproof ${line}`);
    }
  });
});
