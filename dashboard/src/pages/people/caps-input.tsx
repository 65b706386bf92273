/** How many messages an hour, a day or a week. */
import type { Cap } from '@carillon/contract'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/field.tsx'

export function CapsInput({ caps, onChange }: { caps: Cap[]; onChange(caps: Cap[]): void }) {
  const set = (i: number, changes: Partial<Cap>) =>
    onChange(caps.map((each, at) => (at === i ? { ...each, ...changes } : each)))
  return (
    <div className="flex flex-col items-start gap-2">
      {caps.map((cap, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: caps have nothing else and are edited in place
          key={i}
          className="flex w-full flex-wrap items-center gap-2 rounded-control border border-border p-2"
        >
          <Input
            type="number"
            aria-label="At most"
            min={1}
            required
            value={cap.max}
            className="w-20!"
            onChange={event => set(i, { max: Number(event.target.value) })}
          />
          <Select
            aria-label="Per"
            value={cap.per}
            className="w-28!"
            onChange={event => set(i, { per: event.target.value as Cap['per'] })}
          >
            <option value="hour">an hour</option>
            <option value="day">a day</option>
            <option value="week">a week</option>
          </Select>
          <Select
            aria-label="What comes after"
            value={cap.over}
            className="w-40!"
            onChange={event => set(i, { over: event.target.value as Cap['over'] })}
          >
            <option value="skip">skip the rest</option>
            <option value="digest">collect the rest</option>
          </Select>
          {cap.category && <span className="text-muted">of {cap.category}</span>}
          <span className="ml-auto">
            <IconButton
              label="Remove this cap"
              className="size-7!"
              onClick={() => onChange(caps.filter((_, at) => at !== i))}
            >
              <X size={14} />
            </IconButton>
          </span>
        </div>
      ))}
      <Button
        size="small"
        kind="quiet"
        onClick={() => onChange([...caps, { per: 'day', max: 10, over: 'skip' }])}
      >
        <Plus size={14} aria-hidden="true" />
        Add a cap
      </Button>
    </div>
  )
}
