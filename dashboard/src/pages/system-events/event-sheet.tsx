/** One event beside the list: what it means and what to do. */
import type { SystemEvent } from '@carillon/contract'
import { Lightbulb } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Facts } from '../../ui/page.tsx'
import { Chip, Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ShortTime, Time } from '../../ui/time.tsx'
import { adviceFor, countOf, lastSeenOf } from './advice.ts'

function titleOf({ event_type }: SystemEvent): string {
  const text = event_type.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

interface EventSheetProps {
  event: SystemEvent
  footer: ReactNode
  onClose(): void
}

export function EventSheet({ event, footer, onClose }: EventSheetProps) {
  const { count: _, last_raised_at: __, ...details } = event.details
  const advice = adviceFor(event)
  return (
    <Dialog title={titleOf(event)} isSheet isOpen onClose={onClose} footer={footer}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-2">
          <Status status={event.severity} />
          {event.is_resolved ? <Status status="resolved" /> : <Status status="open" />}
          {event.tenant_id === null && <Chip>whole instance</Chip>}
        </div>
        <p className="text-lg break-words" dir="auto">
          {event.description}
        </p>
        {!event.is_resolved && (
          <div className="flex gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn">
            <Lightbulb size={16} aria-hidden="true" className="mt-px shrink-0" />
            <p className="min-w-0 break-words">
              {advice.text}{' '}
              {advice.to && (
                <TextLink to={advice.to} className="whitespace-nowrap underline">
                  {advice.label}
                </TextLink>
              )}
            </p>
          </div>
        )}
        <Facts
          facts={[
            ['About', event.subject],
            [
              'Type',
              <span key="type" className="font-mono text-code">
                {event.event_type}
              </span>,
            ],
            ['Raised', countOf(event) === 1 ? 'once' : `${countOf(event).toLocaleString('en')} times`],
            ['First', <ShortTime key="first" value={event.created_at} />],
            ['Last', <Time key="last" value={lastSeenOf(event)} />],
            event.resolved_at !== null && ['Resolved', <Time key="resolved" value={event.resolved_at} />],
            event.is_resolved && ['By', event.resolved_by ?? 'itself, as the condition is over'],
          ]}
        />
        {Object.keys(details).length > 0 && (
          <section className="flex flex-col gap-2">
            <h3 className="font-medium">Details</h3>
            <JsonView value={details} />
          </section>
        )}
      </div>
    </Dialog>
  )
}
