import { after, before, describe, test } from 'node:test';
import {
  openAgentFixture,
  toolPromises,
  type AgentFixture,
  type Connected,
} from '../../../service/test/support/mcp/tool-promises.ts';

let agents: AgentFixture;
before(async () => {
  agents = await openAgentFixture();
});
after(() => agents.close());

describe('the tools over stdio', () => {
  let connected: Connected;
  before(async () => {
    connected = { ...agents, kind: 'stdio', client: await agents.connect('stdio') };
  });

  for (const [promise, hold] of Object.entries(toolPromises)) test(promise, () => hold(connected));
});
