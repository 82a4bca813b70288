import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpServerOptions } from './create-mcp-server.ts';

/** Speaks the protocol over standard input and output, for one client, until its end of the pipe closes. */
export async function serveMcp(
  options: McpServerOptions,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const ended = Promise.race([once(input, 'close'), once(input, 'end'), once(signal, 'abort')]);
  const connection = serveStdio(() => createMcpServer(options), {
    transport: new StdioServerTransport(input, output),
  });
  try {
    await ended;
  } finally {
    await connection.close();
  }
}
