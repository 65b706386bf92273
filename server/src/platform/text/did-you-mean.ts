/** The known name closest to a misspelt one, if any is close enough to be meant. */
export function didYouMean(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  // Of a short name at least half must be right: any two letters would do otherwise.
  let bestDistance = Math.min(Math.max(2, Math.floor(given.length / 3)), Math.floor(given.length / 2)) + 1
  for (const candidate of known) {
    const distance = editDistance(given.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution)
    }
    row = next
  }
  return row[b.length] ?? 0
}
