/** Short news about what the visitor just did, with a way back where there is one. */
import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

interface Toast {
  id: number
  text: string
  tone: 'ok' | 'bad'
  undo: (() => void) | undefined
}

const SHOWN_MS = 6_000
let toasts: Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change(toasts.filter(toast => toast.id !== id))

export function toast(
  text: string,
  { tone = 'ok', undo }: { tone?: 'ok' | 'bad'; undo?: () => void } = {},
): void {
  const id = nextId++
  change([...toasts.slice(-2), { id, text, tone, undo }])
  setTimeout(() => dismiss(id), SHOWN_MS)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-60 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, text, tone, undo }) => (
        <div
          key={id}
          className={classes(
            'pointer-events-auto flex max-w-md items-center gap-2 rounded-card border bg-raised py-1 pr-1 pl-3 shadow-popover',
            tone === 'bad' ? 'border-bad' : 'border-border',
          )}
        >
          <span className="min-w-0 break-words">{text}</span>
          {undo && (
            <button
              type="button"
              className="h-8 px-2 font-medium text-accent hover:underline"
              onClick={() => {
                dismiss(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
          <IconButton label="Dismiss" onClick={() => dismiss(id)}>
            <X size={14} />
          </IconButton>
        </div>
      ))}
    </div>
  )
}
