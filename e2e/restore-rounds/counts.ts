/** Counts of several restores, added up. */

export function addCounts(sums: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
}
