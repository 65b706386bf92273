/** From when to when: a time back from now, or two times that are given exactly. */
import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { Button } from './button.tsx'
import { Field, Input } from './field.tsx'
import { timeOf } from './local-time.ts'
import { POPOVER } from './menu.tsx'
import type { Filters } from './use-filters.ts'

type Name = 'created_after' | 'created_before'

const HOUR = 3_600_000
const BACK: [label: string, ms: number][] = [
  ['Last hour', HOUR],
  ['Last 24 hours', 24 * HOUR],
  ['Last 7 days', 7 * 24 * HOUR],
  ['Last 30 days', 30 * 24 * HOUR],
]

const toText = (local: string): string | undefined => (local === '' ? undefined : timeOf(local))

export function TimeFilter<Names extends string>({ filters }: { filters: Filters<Names | Name> }) {
  const [isOpen, setOpen] = useState(false)
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const { created_after, created_before } = filters.values as Partial<Record<Name, string>>
  if (created_after !== undefined || created_before !== undefined) return null
  const set = (after: string | undefined, before: string | undefined) => {
    setOpen(false)
    filters.set({ created_after: after, created_before: before } as Partial<
      Record<Names | Name, string | undefined>
    >)
  }
  const choose = (event: FormEvent) => {
    event.preventDefault()
    set(toText(from), toText(to))
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button kind="quiet" size="small" className="rounded-full border-dashed border-border!">
          Time
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Time"
          className={`${POPOVER} w-72 max-w-[calc(100vw-1rem)]`}
        >
          <div className="flex flex-col">
            {BACK.map(([label, ms]) => (
              <button
                key={label}
                type="button"
                onClick={() => set(new Date(Date.now() - ms).toISOString(), undefined)}
                className="flex min-h-7 items-center rounded-control px-2 text-left hover:bg-hover"
              >
                {label}
              </button>
            ))}
          </div>
          <form onSubmit={choose} className="mt-1 flex flex-col gap-2 border-t border-border p-2 pt-3">
            <Field label="From">
              <Input type="datetime-local" value={from} onChange={event => setFrom(event.target.value)} />
            </Field>
            <Field label="Until">
              <Input type="datetime-local" value={to} onChange={event => setTo(event.target.value)} />
            </Field>
            <Button type="submit" disabled={from === '' && to === ''}>
              Filter
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
