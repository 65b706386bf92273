/** What a page is narrowed to stands in its address, so that a link shows the same and Back returns to it. */
import { useNavigate, useSearch } from '@tanstack/react-router'

export interface Filters<Name extends string> {
  /** Those that are set. */
  values: Partial<Record<Name, string>>
  /** Changes some of them; undefined removes one. */
  set(changes: Partial<Record<Name, string | undefined>>): void
  clear(): void
  isAny: boolean
}

export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const values = Object.fromEntries(
    names.filter(name => search[name]).map(name => [name, search[name]]),
  ) as Partial<Record<Name, string>>
  const set = (changes: object) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace: true })
  return {
    values,
    set,
    clear: () => set(Object.fromEntries(names.map(name => [name, undefined]))),
    isAny: Object.keys(values).length > 0,
  }
}
