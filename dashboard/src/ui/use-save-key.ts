import { useEffect, useRef } from 'react'

/** Ctrl-S anywhere on the page, not only in an editor. */
export function useSaveKey(save: () => unknown): void {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
