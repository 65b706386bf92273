/** What a provider answered. */
import type { Attempt } from '@carillon/contract'
import { wordsOf } from '../../app/api.ts'
import { Facts } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { ShortTime, sayDuration } from '../../ui/time.tsx'

interface AttemptDetailProps {
  attempt: Attempt | undefined
  isLoading: boolean
  error: unknown
}

export function AttemptDetail({ attempt, isLoading, error }: AttemptDetailProps) {
  if (isLoading) return <Skeleton className="h-16 w-full" />
  if (error) return <p className="text-bad">{wordsOf(error)}</p>
  if (attempt === undefined)
    return <p className="text-muted">The details of this attempt are not kept any more.</p>
  const { outcome, provider, message, worker, started_at, duration_ms, next_attempt_at, calls } = attempt
  return (
    <div className="relative flex flex-col gap-3 rounded-control bg-bg p-3 max-md:-ml-28">
      <Facts
        facts={[
          ['Outcome', <Status key="outcome" status={outcome} />],
          ['Provider', provider || 'None was called'],
          [
            'Answer',
            message && <code className="font-mono text-code break-words whitespace-pre-wrap">{message}</code>,
          ],
          ['Began', <ShortTime key="began" value={started_at} />],
          ['Took', sayDuration(duration_ms)],
          ['Next attempt', next_attempt_at && <ShortTime value={next_attempt_at} />],
          [
            'Worker',
            <code key="worker" className="font-mono text-code">
              {worker}
            </code>,
          ],
        ]}
      />
      {calls.length > 0 && (
        <ol aria-label="Providers in the order they were called" className="flex flex-col gap-2">
          {calls.map(({ provider, outcome, message, duration_ms, is_asked }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an attempt do not move
            <li key={i} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <b className="font-medium">{provider}</b>
              <Status status={outcome} />
              <span className="text-muted tabular">{sayDuration(duration_ms)}</span>
              <span className="min-w-0 break-words">{message}</span>
              {is_asked && (
                <span className="text-muted">The service is asked before anything is sent again.</span>
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
