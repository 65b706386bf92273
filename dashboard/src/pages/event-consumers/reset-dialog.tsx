/** Moves a consumer to another place in the log, and says what that means. */
import type { EventCursor } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { numberOf } from '../../ui/number-text.ts'
import { Notice } from '../../ui/problem.tsx'
import { RadioList } from '../../ui/radio-list.tsx'
import { toast } from '../../ui/toasts.tsx'
import { CONSUMERS, isConsumer } from './consumer-words.ts'

type Where = 'next' | 'head' | 'start' | 'place'

export function ResetDialog({ cursor, onClose }: { cursor: EventCursor; onClose(): void }) {
  const { consumer, last_event_id, head_id, tries } = cursor
  const [where, setWhere] = useState<Where>(tries > 0 ? 'next' : 'place')
  const [place, setPlace] = useState(String(last_event_id))
  if (!isConsumer(consumer)) return null
  const { title, again, passedOver } = CONSUMERS[consumer]
  const to =
    where === 'next'
      ? Math.min(last_event_id + 1, head_id)
      : where === 'head'
        ? head_id
        : where === 'start'
          ? 0
          : (numberOf(place) ?? last_event_id)
  return (
    <Confirm
      title={`Move the consumer ${title} to another place?`}
      action="Move"
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.events.resetConsumer(consumer, to)
        await queryClient.invalidateQueries({ queryKey: ['event-consumers'] })
        toast(`${title} goes on after event ${to.toLocaleString('en')}.`)
      }}
    >
      <div className="flex flex-col gap-4">
        <p>
          It has read up to event {last_event_id.toLocaleString('en')} of {head_id.toLocaleString('en')}.
        </p>
        <RadioList<Where>
          label="Where it goes on"
          options={[
            {
              value: 'next',
              label: 'After the next event',
              help: 'Passes over one event that always fails.',
            },
            { value: 'head', label: 'At the end', help: 'Passes over everything that it has not read.' },
            { value: 'start', label: 'At the beginning', help: 'Reads the whole log again.' },
            { value: 'place', label: 'After a certain event' },
          ]}
          chosen={where}
          onChange={setWhere}
        />
        {where === 'place' && (
          <Field label="Place of the last event that counts as done">
            <Input
              type="number"
              min={0}
              max={head_id}
              value={place}
              onChange={event => setPlace(event.target.value)}
            />
          </Field>
        )}
        <Consequence from={last_event_id} to={to} again={again} passedOver={passedOver} />
      </div>
    </Confirm>
  )
}

interface ConsequenceProps {
  from: number
  to: number
  again: string
  passedOver: string
}

function Consequence({ from, to, again, passedOver }: ConsequenceProps) {
  const count = Math.abs(to - from)
  const events = `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`
  if (to > from)
    return (
      <Notice tone="bad">
        Up to {events} {count === 1 ? 'is' : 'are'} passed over. {passedOver}
      </Notice>
    )
  if (to < from)
    return (
      <Notice tone="warn">
        Up to {events} {count === 1 ? 'is' : 'are'} read again. {again}
      </Notice>
    )
  return <Notice tone="info">That is where it is now: an event that fails is tried again at once.</Notice>
}
