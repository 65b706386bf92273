/**
 * The entry of a table for a name that comes from a service. Every object also answers to names such as `constructor`, which
 * are in no table.
 */
export function known<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
