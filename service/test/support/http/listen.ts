import type { TestContext } from 'node:test';
import { connectionLimits } from '../../../src/core/http/server.ts';
import { createWholeServer } from '../../../src/start/whole-server.ts';
import type { WholeHttpParts } from '../../../src/start/whole-server.ts';
import { createTestParts } from './test-parts.ts';

/** The HTTP service on a port of its own until the test is over, with parts that only note what is asked of them. */
export async function listen(
  context: Pick<TestContext, 'after'>,
  overrides: Partial<WholeHttpParts> = {},
  limits = connectionLimits,
) {
  const parts = createTestParts(overrides);
  const server = await createWholeServer(parts, limits);
  await server.listen({ port: 0, host: '127.0.0.1' });
  context.after(async () => {
    server.server.closeAllConnections();
    await server.close();
  });
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { parts, server, port: address.port };
}
