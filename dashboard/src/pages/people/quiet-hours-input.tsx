/** Windows of the week, each with its days. */
import type { QuietWindow } from '@carillon/contract'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Input } from '../../ui/field.tsx'
import { shortDay, WEEK } from './preference-words.ts'

interface QuietHoursInputProps {
  windows: QuietWindow[]
  onChange(windows: QuietWindow[]): void
}

export function QuietHoursInput({ windows, onChange }: QuietHoursInputProps) {
  const set = (i: number, changes: Partial<QuietWindow>) =>
    onChange(windows.map((each, at) => (at === i ? { ...each, ...changes } : each)))
  return (
    <div className="flex flex-col items-start gap-2">
      {windows.map((window, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: windows have nothing else and are edited in place
          key={i}
          className="flex w-full flex-wrap items-center gap-2 rounded-control border border-border p-2"
        >
          <Input
            type="time"
            aria-label="From"
            required
            value={window.start}
            className="w-32!"
            onChange={event => set(i, { start: event.target.value })}
          />
          <span className="text-muted">to</span>
          <Input
            type="time"
            aria-label="Until"
            required
            // A browser's clock has no 24:00; midnight means the same here.
            value={window.end === '24:00' ? '00:00' : window.end}
            className="w-32!"
            onChange={event => set(i, { end: event.target.value === '00:00' ? '24:00' : event.target.value })}
          />
          <Days days={window.days ?? WEEK} onChange={days => set(i, { days })} />
          <span className="ml-auto">
            <IconButton
              label="Remove these hours"
              className="size-7!"
              onClick={() => onChange(windows.filter((_, at) => at !== i))}
            >
              <X size={14} />
            </IconButton>
          </span>
        </div>
      ))}
      <Button
        size="small"
        kind="quiet"
        onClick={() => onChange([...windows, { start: '22:00', end: '08:00' }])}
      >
        <Plus size={14} aria-hidden="true" />
        Add hours
      </Button>
    </div>
  )
}

function Days({ days, onChange }: { days: (typeof WEEK)[number][]; onChange(days: typeof WEEK): void }) {
  const toggle = (day: (typeof WEEK)[number]) => {
    const next = WEEK.filter(each => (each === day ? !days.includes(day) : days.includes(each)))
    if (next.length > 0) onChange(next)
  }
  return (
    <fieldset className="flex gap-0.5">
      <legend className="sr-only">Days on which they begin</legend>
      {WEEK.map(day => (
        <button
          key={day}
          type="button"
          aria-pressed={days.includes(day)}
          aria-label={day}
          onClick={() => toggle(day)}
          className={classes(
            'h-7 rounded-control px-1.5 text-sm',
            days.includes(day) ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:bg-hover',
          )}
        >
          {shortDay(day)}
        </button>
      ))}
    </fieldset>
  )
}
