import { useState } from 'react'
import type { Selection } from './data-table.tsx'

export function useSelection(): Selection & { clear(): void } {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    ids,
    clear: () => setIds(new Set()),
    toggle: id =>
      setIds(before => {
        const after = new Set(before)
        if (!after.delete(id)) after.add(id)
        return after
      }),
    toggleAll: all => setIds(before => (all.every(id => before.has(id)) ? new Set() : new Set(all))),
  }
}
