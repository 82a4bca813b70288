import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { silentProberMs } from './outside-egress.ts';

/** A prober as the operator sees it. */
export type ListedProber = {
  proberId: string;
  name: string;
  state: 'invited' | 'well' | 'unwell' | 'silent';
  /** Why nothing is asked through it, in one word; null where something is. */
  whyNot: string | null;
  createdAt: number;
  enrolledAt: number | null;
  seenAt: number | null;
  answered: number;
  unknown: number;
  /** What it said of itself last. */
  version: string | null;
  address: string | null;
  conversations: number;
  resting: number;
  /** The egress addresses that the operator gave it, by its own names, and those of them that it has. */
  given: string[];
  egress: string[];
  /** Names that it announces and was not given. */
  ignored: string[];
  /** How many of a hundred addresses it may be asked about. */
  share: number;
};

const mostShown = 1_000;

const findAll = statement((db) =>
  db
    .selectFrom('prober')
    .select(['id', 'name', 'created_at', 'enrolled_at', 'seen_at', 'seen', 'answered', 'unknown', 'share'])
    .orderBy('name')
    .limit(mostShown),
);

const findReasons = statement((db) =>
  db
    .selectFrom('egress_address')
    .select(['owner', 'why_not', 'well'])
    .where('kind', '=', 'outside')
    .limit(mostShown * 16),
);

const findGiven = statement((db) =>
  db
    .selectFrom('prober_egress')
    .select(['prober_id', 'name'])
    .orderBy('name')
    .limit(mostShown * 16),
);

type Parts = { store: Pick<Store, 'read'>; wallClock: WallClock };

export async function listProbers({ store, wallClock }: Parts): Promise<ListedProber[]> {
  const [rows, addresses, given] = await Promise.all([
    store.read.all(findAll, {}),
    store.read.all(findReasons, {}),
    store.read.all(findGiven, {}),
  ]);
  const givenTo = Map.groupBy(given, ({ prober_id }) => prober_id);
  const unwell = new Map(addresses.flatMap((one) => (one.well === 1 ? [] : [[one.owner, one.why_not]])));
  const silentBefore = wallClock.now() - silentProberMs;
  return rows.map((row) => {
    const said = readSeen(row.seen);
    const hasNone = row.seen_at > 0 && said.egress.length === 0;
    const whyNot = hasNone ? 'egress_not_given' : unwell.get(row.id);
    return {
      proberId: row.id,
      name: row.name,
      ...stateOf(row, { whyNot, silentBefore }),
      createdAt: row.created_at,
      enrolledAt: row.enrolled_at,
      seenAt: row.seen_at === 0 ? null : row.seen_at,
      answered: row.answered,
      unknown: row.unknown,
      share: row.share,
      given: (givenTo.get(row.id) ?? []).map(({ name }) => name),
      ...said,
    };
  });
}

function stateOf(
  row: { enrolled_at: number | null; seen_at: number },
  { whyNot, silentBefore }: { whyNot: string | undefined; silentBefore: number },
): Pick<ListedProber, 'state' | 'whyNot'> {
  if (row.enrolled_at === null) return { state: 'invited', whyNot: 'not_enrolled' };
  if (row.seen_at <= silentBefore) return { state: 'silent', whyNot: 'silent' };
  return whyNot === undefined ? { state: 'well', whyNot: null } : { state: 'unwell', whyNot };
}

type Seen = {
  version?: string;
  address?: string;
  conversations?: number;
  resting?: number;
  egress?: string[];
  ignored?: string[];
};

/** Written by `announce` in prober-centre.ts, of fields that were checked. */
function readSeen(
  text: string,
): Pick<ListedProber, 'version' | 'address' | 'conversations' | 'resting' | 'egress' | 'ignored'> {
  const { version, address, conversations, resting, egress, ignored } = JSON.parse(text) as Seen;
  return {
    version: version ?? null,
    address: address ?? null,
    conversations: conversations ?? 0,
    resting: resting ?? 0,
    egress: egress ?? [],
    ignored: ignored ?? [],
  };
}
