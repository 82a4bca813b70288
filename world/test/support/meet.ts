/** Test support: a world of one mail host, and a client that has connected to it or gone further. */
import { type HostDescription, startWorld, type World, type WorldOptions } from '../../src/start-world.ts';
import { rawClient, type RawClient } from './raw-client.ts';

export type Meeting = { world: World; client: RawClient; another: () => Promise<RawClient> };

export const hostName = 'mx.meet.test';
export const hello = 'EHLO probe.test\r\n';
export const mail = 'MAIL FROM:<verify@probe.test>\r\n';
export const rcpt = (who: string) => `RCPT TO:<${who}@meet.test>\r\n`;

/** Runs the dialogue with a world of this one host, then always stops the world. */
export async function meet(
  host: HostDescription,
  dialogue: (meeting: Meeting) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  const world = await startWorld({ zones: {}, hosts: { [hostName]: host } }, options);
  try {
    const address = world.hosts[hostName]?.address ?? '';
    const another = () => rawClient(world.smtpPort, address);
    await dialogue({ world, client: await another(), another });
  } finally {
    await world.stop();
  }
}

/** Reads the banner, says EHLO and returns the extensions. */
export async function greeted(client: RawClient, greeting = hello): Promise<string> {
  await client.replies(1);
  client.send(greeting);
  const [reply] = await client.replies(1);
  return reply ?? '';
}

/** Returns the replies to one group of commands, each cut to its code and enhanced code. */
export async function say(client: RawClient, ...commands: string[]): Promise<string[]> {
  client.send(commands.join(''));
  const replies = await client.replies(commands.length);
  return replies.map((reply) => reply.split('\n').at(-1)?.split(' ').slice(0, 2).join(' ') ?? '');
}

/** Resolves once every mail host has seen its last client go. */
export async function emptied(world: World): Promise<void> {
  while (world.counts.smtp.open > 0) await new Promise((resolve) => setImmediate(resolve));
}
