/** Keys of one page, such as r for replay; not while somebody types or a dialog is open. */
import { useEffect, useRef } from 'react'

export function useKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [contenteditable="true"]') !== null
      if (isTyping || document.querySelector('[role="dialog"]') !== null) return
      const act = latest.current[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
