/** Everything about one person, folded to one line while there are many. */
import type { Explanation } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { CHANNEL_NAMES, ChannelIcon } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { Recipient, readRecipient } from '../../ui/recipient.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { Status } from '../../ui/status.tsx'
import { type ExplainedRoute, RouteLane } from './route-lane.tsx'

interface PersonLaneProps {
  notificationId: string
  acceptedAt: string
  person: Explanation['people'][number]
  isOpenAtFirst: boolean
  /** More of their messages may be on pages that are not loaded yet. */
  isPartial: boolean
  onMessage(route: ExplainedRoute): void
}

export function PersonLane({
  notificationId,
  acceptedAt,
  person,
  isOpenAtFirst,
  isPartial,
  onMessage,
}: PersonLaneProps) {
  const { recipient_ref, inbox } = person
  const [choice, setChoice] = useState<boolean>()
  const isOpen = choice ?? isOpenAtFirst
  const contentId = useId()
  const { userId, name } = readRecipient(recipient_ref)
  const whole = useQuery({
    queryKey: ['records', notificationId, 'explain', userId, 'whole'],
    queryFn: ({ signal }) => api.records.explain(notificationId, { user_id: userId! }, { signal }),
    enabled: isOpen && isPartial && userId !== undefined,
  })
  const routes = (isPartial && whole.data?.people[0]?.routes) || person.routes
  return (
    <section className="border-b border-border last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2">
        <h3 className="flex max-w-full min-w-0 flex-1 basis-44 items-center gap-1.5 font-medium">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={contentId}
            aria-label={`What happened for ${name}`}
            onClick={() => setChoice(!isOpen)}
            className="-ml-1 rounded-control p-1 text-muted hover:bg-hover hover:text-text"
          >
            <ChevronRight size={16} className={classes('transition-transform', isOpen && 'rotate-90')} />
          </button>
          <Recipient value={recipient_ref} className="cut min-w-0" />
        </h3>
        <div className="flex flex-wrap items-center gap-1.5">
          {(isOpen ? [] : routes).map(({ route_id, channel, status }) => (
            <span
              key={route_id}
              title={`${CHANNEL_NAMES[channel]}: ${status}`}
              className="inline-flex items-center gap-1 text-muted"
            >
              <ChannelIcon channel={channel} />
              <Status status={status} />
            </span>
          ))}
          {isPartial && !isOpen && <span className="text-muted">…</span>}
        </div>
      </div>
      {isOpen && (
        <div id={contentId} className="flex flex-col gap-4 px-4 pb-4 md:pl-9">
          {inbox && (
            <p className="text-muted">
              <Sentence text={inbox.text} />
            </p>
          )}
          {routes.map(route => (
            <RouteLane
              key={route.route_id}
              notificationId={notificationId}
              acceptedAt={acceptedAt}
              route={route}
              onMessage={onMessage}
            />
          ))}
        </div>
      )}
    </section>
  )
}
