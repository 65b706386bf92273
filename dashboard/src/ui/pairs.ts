export type Pairs = [name: string, value: string][]

/** Rows without a name are not there yet. */
export const recordOf = (pairs: Pairs): Record<string, string> =>
  Object.fromEntries(
    pairs.filter(([name]) => name.trim() !== '').map(([name, value]) => [name.trim(), value]),
  )
