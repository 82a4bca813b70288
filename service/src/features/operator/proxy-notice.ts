import { isInBlocks, type Cidr } from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';

/**
 * Forwarding headers from a peer that is not trusted. Most often that is the operator's own proxy, and then all clients
 * behind it count as one: a few wrong sign-ins of anybody keep everybody out, and visitors share their caps.
 *
 * The first of them is told in the log. The last is kept in the store for a day, in the table that outlives the process
 * and needs no other, for `doctor` and the Health page. Any client can send such a header, so nothing else follows.
 */
type ProxyNotice = (peer: string) => void;

type ProxyNoticeParts = {
  store: Pick<Store, 'write'>;
  wallClock: WallClock;
  processId: string;
  logger: { warn(fields: object, message: string): void };
  onProblem(message: string, error: unknown): void;
};

const writeEveryMs = 3_600_000;
const keepMs = 86_400_000;
const kind = 'untrusted_proxy';

const writePeer = statement((db, arg: { peer: string; expires: number; writer: string; at: number }) => {
  const said = { value: arg.peer, expires_at: arg.expires, writer: arg.writer, written_at: arg.at };
  return db
    .insertInto('engine_memory')
    .values({ kind, key: 'last', ...said })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doUpdateSet(said));
});

export function createProxyNotice({ store, wallClock, processId, ...parts }: ProxyNoticeParts): ProxyNotice {
  let writtenAt: number | undefined;
  return (peer) => {
    const at = wallClock.now();
    if (writtenAt === undefined) parts.logger.warn({ peer }, describePeer(peer));
    else if (at - writtenAt < writeEveryMs) return;
    writtenAt = at;
    const row = { peer, expires: at + keepMs, writer: processId, at };
    store
      .write((tx) => tx.change(writePeer, row))
      .catch((error: unknown) => parts.onProblem('a proxy that is not trusted could not be noted', error));
  };
}

const findPeer = statement((db, arg: { now: number }) =>
  db
    .selectFrom('engine_memory')
    .select('value')
    .where('kind', '=', kind)
    .where('key', '=', 'last')
    .where('expires_at', '>', arg.now),
);

type ReadPeerParts = {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
  trustedProxies: readonly Cidr[];
};

/** The last such peer of the last day, unless it is trusted by now. */
export async function readUntrustedPeer(parts: ReadPeerParts): Promise<string | undefined> {
  const peer = (await parts.store.read.first(findPeer, { now: parts.wallClock.now() }))?.value;
  return peer === undefined || isInBlocks(parts.trustedProxies, peer) ? undefined : peer;
}

export async function readProxyProblem(parts: ReadPeerParts): Promise<string | undefined> {
  const peer = await readUntrustedPeer(parts);
  return peer === undefined ? undefined : describePeer(peer);
}

function describePeer(peer: string): string {
  return `${peer} sends forwarding headers but is not in MAILPROOF_TRUSTED_PROXIES, so all clients behind it count as one; if it is your proxy, add it`;
}
