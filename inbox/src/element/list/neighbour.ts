/** The next id that fits, else the one before. */
export function neighbour(
  order: readonly string[],
  from: string | undefined,
  fits: (id: string) => boolean,
): string | undefined {
  const at = order.indexOf(from ?? '')
  if (at === -1) return undefined
  return order.slice(at + 1).find(fits) ?? order.slice(0, at).findLast(fits)
}
