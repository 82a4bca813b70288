/**
 * The known name that a mistyped one most likely means, or nothing if none is near.
 *
 * Near is at most a third of the letters: closer than that two names look alike, further apart a
 * suggestion misleads more often than it helps.
 */
export function nearestName(mistyped: string, known: readonly string[]): string | undefined {
  let nearest: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(mistyped, name);
    if (nearest === undefined || distance < nearest.distance) nearest = { name, distance };
  }
  return nearest !== undefined && nearest.distance <= nearest.name.length / 3 ? nearest.name : undefined;
}

/** Letters added, dropped or changed to get from one to the other; row by row, so one row is kept. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
