import { Writable } from 'node:stream';
import { serveMcp } from '@mailproof/service/mcp';
import { defineCommand, exitCodes } from '../../command.ts';
import { clientOptions, readConnection, tellProblems } from '../../api/connection.ts';

export const mcpCommand = defineCommand({
  name: 'mcp',
  takes: '[--url URL] [--key-file PATH]',
  summary: 'offer the service to an agent, over standard input and output (Model Context Protocol)',
  options: clientOptions,
  noJson: 'the protocol is JSON already.',
  notes: [
    'For programs that start it themselves: they write requests to standard input and read answers from standard output. It ends when its input ends.',
    'Its tools use the account of the API key. Those that spend credits do nothing until they are called with "confirm": true.',
  ],
  examples: ['MAILPROOF_API_KEY=mp_test_… mailproof mcp'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    tellProblems(
      async () => {
        const connection = await readConnection(options, surroundings);
        const { terminal, signal } = surroundings;
        const output = new Writable({
          write: (chunk: Buffer, _encoding, done) =>
            void terminal.write(chunk.toString()).then(() => done(), done),
        });
        await serveMcp(connection, { input: terminal.input, output, signal });
        return exitCodes.ok;
      },
      surroundings,
      'Try again.',
    ),
});
