/**
 * Returns the known name that a mistyped one most likely means, or nothing if none is near.
 *
 * Near is at most a third of the letters: closer than that two names look alike, further apart a suggestion misleads
 * more often than it helps.
 */
export function nearestName(mistyped: string, known: readonly string[]): string | undefined {
  let nearest: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(mistyped, name);
    if (nearest === undefined || distance < nearest.distance) nearest = { name, distance };
  }
  return nearest !== undefined && nearest.distance <= nearest.name.length / 3 ? nearest.name : undefined;
}

/** Counts the letters added, dropped, changed or swapped with their neighbour to get from one to the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : Infinity;
      next.push(Math.min(changed, swapped, at(row, j) + 1, at(next, j - 1) + 1));
    }
    before = row;
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
