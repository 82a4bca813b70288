import { statement, type Tx } from '../../core/store/statement.ts';

/**
 * The egress addresses of probers outside. Each belongs to its prober alone, by the name that it begins with; it is there
 * for others to ask through while the prober is heard of.
 */
export const silentProberMs = 34_000;

/** Control mailboxes are asked through a name beside the address itself, which nobody else hands probes to. */
export function controlEgress(name: string): string {
  return `${name}!control`;
}

export function egressOf(prober: string, ownName: string): string {
  return `${prober}/${ownName}`;
}

/** What the prober itself calls it. */
export function ownNameOf(egress: string): string {
  return egress.slice(egress.indexOf('/') + 1).replace(/!control$/, '');
}

type Presence = { owner: string; now: number; whyNot: string; share: number };
type PresenceRow = Omit<Presence, 'now'> & { name: string; until: number; well: number };

const upsert = statement((db, arg: PresenceRow) =>
  db
    .insertInto('egress_address')
    .values({
      name: arg.name,
      owner: arg.owner,
      kind: 'outside',
      fence: 1,
      lease_until: arg.until,
      state: '',
      saved_at: 0,
      well: arg.well,
      why_not: arg.whyNot,
      seen: '{}',
      share: arg.share,
    })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({
          owner: arg.owner,
          lease_until: arg.until,
          well: arg.well,
          why_not: arg.whyNot,
          share: arg.share,
        })
        .where('egress_address.kind', '=', 'outside'),
    ),
);

const findState = statement((db, arg: { owner: string; now: number }) =>
  db
    .selectFrom('egress_address')
    .select(['name', 'well'])
    .where('owner', '=', arg.owner)
    .where('lease_until', '>', arg.now),
);

/** Says whether anything is new about them. */
export async function announceEgress(
  tx: Tx,
  names: readonly string[],
  { owner, now, whyNot, share }: Presence,
): Promise<boolean> {
  const well = whyNot === '' ? 1 : 0;
  const before = new Map((await tx.all(findState, { owner, now })).map((row) => [row.name, row.well]));
  for (const name of names)
    await tx.change(upsert, { name, owner, until: now + silentProberMs, well, whyNot, share });
  return names.some((name) => before.get(name) !== well);
}

const setWell = statement((db, arg: { owner: string; well: number; whyNot: string }) =>
  db
    .updateTable('egress_address')
    .set({ well: arg.well, why_not: arg.whyNot })
    .where('owner', '=', arg.owner),
);

export async function judgeEgress(
  tx: Tx,
  { owner, whyNot }: Pick<Presence, 'owner' | 'whyNot'>,
): Promise<void> {
  await tx.change(setWell, { owner, well: whyNot === '' ? 1 : 0, whyNot });
}

const freeHeld = statement((db, arg: { from: string; to: string }) =>
  db
    .updateTable('probe')
    .set({ state: 'waiting', holder: '', lease: '', lease_until: 0 })
    .where('state', '=', 'leased')
    .where('holder', '>=', arg.from)
    .where('holder', '<', arg.to),
);

/** Whatever any instance of the prober holds others may ask; what it still reports of that counts for nothing. */
export async function freeProbesOf(tx: Tx, proberId: string): Promise<void> {
  await tx.change(freeHeld, { from: holderOf(proberId, ''), to: `${proberId};` });
}

/** Who holds a probe: one instance of a prober. A semicolon follows a colon, which bounds the range above. */
export function holderOf(proberId: string, instance: string): string {
  return `${proberId}:${instance}`;
}

const findSilent = statement((db, arg: { now: number }) =>
  db
    .selectFrom('egress_address')
    .select('owner')
    .distinct()
    .where('kind', '=', 'outside')
    .where('well', '=', 1)
    .where('lease_until', '<=', arg.now),
);

/** Probers that are heard of no more: what they held goes to others. Tells how many there were. */
export async function endSilentProbers(tx: Tx, now: number): Promise<number> {
  const silent = await tx.all(findSilent, { now });
  for (const { owner } of silent) {
    await judgeEgress(tx, { owner, whyNot: 'silent' });
    await freeProbesOf(tx, owner);
  }
  return silent.length;
}
