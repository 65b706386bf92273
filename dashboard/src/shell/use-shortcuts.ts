/** Keys that work on every page: Ctrl-K, ?, / and g followed by a page's letter. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PAGES } from '../app/pages.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null

export function useShortcuts({ palette, help }: { palette(): void; help(): void }): void {
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do never changes
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        return palette()
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"]')) return
      const isAfterG = event.timeStamp - wentAt < 1_000
      wentAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const page = isAfterG ? PAGES.find(({ rail }) => rail?.letter === event.key) : undefined
      if (page) void navigate({ to: page.path })
      else if (event.key === '?') help()
      else if (event.key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus()
      else return
      event.preventDefault()
      // A row that has the focus does not take the letter after g for its own.
      event.stopPropagation()
    }
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [])
}
