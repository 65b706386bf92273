/** Ctrl-K: people, ids, keys, types and pages, found as one types. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { api } from '../app/api.ts'
import { classes } from '../ui/classes.ts'
import { addressOf, KIND_NAMES } from './addresses.ts'
import { useRailPages } from './rail.tsx'

interface Found {
  key: string
  title: string
  subtitle: string
  kind: string
  to: string
}

export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const navigate = useNavigate()
  const found = useFound(text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another list
  useEffect(() => setAt(0), [text])
  const go = (each: Found | undefined) => {
    if (each === undefined) return
    onClose()
    void navigate({ to: each.to })
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(found[at])
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={open => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-card border border-border bg-raised shadow-popover"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <input
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={found[at] && `${listId}-${at}`}
            aria-label="Search people, ids, keys, types and pages"
            placeholder="Search people, ids, keys, types and pages"
            value={text}
            onChange={event => setText(event.target.value)}
            onKeyDown={keys}
            className="h-11 w-full border-b border-border bg-transparent px-4 text-lg text-ellipsis outline-none"
          />
          <div id={listId} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto p-1">
            {found.map((each, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
              <div
                key={each.key}
                id={`${listId}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === at}
                onMouseMove={() => setAt(i)}
                onClick={() => go(each)}
                className={classes(
                  'flex min-h-9 items-center gap-3 rounded-control px-3',
                  i === at && 'bg-hover',
                )}
              >
                <span className="cut min-w-0">{each.title}</span>
                <span className="cut min-w-0 flex-1 text-muted">{each.subtitle}</span>
                <span className="shrink-0 text-sm text-muted">{each.kind}</span>
              </div>
            ))}
            {found.length === 0 && (
              <div className="px-3 py-6 text-center text-muted">Nothing found for “{text}”.</div>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The pages whose names fit at once, and what the server finds a moment later. */
function useFound(text: string): Found[] {
  const wanted = text.trim()
  const pages = useRailPages()
    .filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()))
    .map(({ path, title }) => ({ key: path, title, subtitle: '', kind: 'Page', to: path }))
  const { data } = useQuery({
    queryKey: ['search', wanted],
    queryFn: ({ signal }) => api.search.find(wanted, { signal }),
    enabled: wanted.length > 1,
    placeholderData: before => before,
  })
  if (wanted.length < 2) return pages
  const things = (data?.data ?? []).map(({ kind, id, title, subtitle }) => ({
    key: `${kind} ${id}`,
    title,
    subtitle,
    kind: KIND_NAMES[kind],
    to: addressOf(kind, id),
  }))
  return [...things, ...pages]
}
