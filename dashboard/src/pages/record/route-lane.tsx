/** What became of the notification for one person on one channel. */
import type { Decision, Explanation } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { ChannelName } from '../../ui/channel.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { sayIn } from '../../ui/reasons.ts'
import { Sentence, timeIn } from '../../ui/sentence.tsx'
import { Status } from '../../ui/status.tsx'
import { type Moment, Timeline } from '../../ui/timeline.tsx'
import { AttemptDetail } from './attempt-detail.tsx'
import { attemptOf, toneOf } from './decisions.ts'

export type ExplainedRoute = Explanation['people'][number]['routes'][number]

interface RouteLaneProps {
  notificationId: string
  route: ExplainedRoute
  /** When the notification was accepted. */
  acceptedAt: string
  onMessage(route: ExplainedRoute): void
}

export function RouteLane({ notificationId, route, acceptedAt, onMessage }: RouteLaneProps) {
  const { route_id, channel, status, reason, summary, decisions } = route
  const moments = decisions.map(
    (decision): Moment => ({
      at: decision.at,
      tone: toneOf(decision.decision),
      text: <Sentence text={decision.text} />,
      ...(attemptOf(decision) !== undefined && {
        detail: <Attempt notificationId={notificationId} routeId={route_id} decision={decision} />,
      }),
    }),
  )
  const isWaiting = status === 'pending' || status === 'retrying'
  const until = isWaiting ? timeIn(summary) : undefined
  return (
    <section className="flex min-w-0 flex-col gap-2 border-l-2 border-border pl-3 md:pl-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h4 className="font-medium">
          <ChannelName channel={channel} />
        </h4>
        <Status status={status} />
        <span className="min-w-0 flex-1 break-words text-muted max-lg:order-last max-lg:basis-full">
          <Sentence text={sayIn(summary, reason)} />
          {until && (
            <b className="ml-1.5 font-medium text-text">
              <Countdown until={until} />
            </b>
          )}
        </span>
        <Button kind="quiet" size="small" className="ml-auto" onClick={() => onMessage(route)}>
          <Eye size={14} aria-hidden="true" />
          Message
        </Button>
      </div>
      <Timeline label={`What happened on ${channel}`} moments={moments} after={acceptedAt} />
    </section>
  )
}

/** Asked for when it is unfolded; all attempts of a route come in one answer. */
function Attempt({
  notificationId,
  routeId,
  decision,
}: {
  notificationId: string
  routeId: string
  decision: Decision
}) {
  const { data, error } = useQuery({
    queryKey: ['records', notificationId, 'attempts', routeId],
    queryFn: ({ signal }) =>
      api.routes.attempts({ notification_id: notificationId, route_id: routeId }, { signal }),
  })
  const attempt = data?.data.find(({ attempt_no }) => attempt_no === attemptOf(decision))
  return <AttemptDetail attempt={attempt} isLoading={data === undefined && error === null} error={error} />
}
