/** What failed for the same cause, together: one look, one decision. */
import type { DeadLetterGroup } from '@carillon/contract'
import { Link } from '@tanstack/react-router'
import { Lightbulb } from 'lucide-react'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES, ChannelIcon } from '../../ui/channel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Bulk } from './bulk-dialog.tsx'
import { valuesOf } from './filters.ts'
import { causeOf, namesProvider } from './words.ts'

interface CauseProps {
  group: DeadLetterGroup
  /** Why nothing can be done with it; nothing if it can. */
  refusal: string | false
  isOpen: boolean
  onBulk(bulk: Bulk): void
}

const keyOf = ({
  failure_reason,
  failure_classification,
  channel,
  provider,
  template,
  source,
}: DeadLetterGroup) =>
  [failure_reason, failure_classification, channel, provider, template, source].join('\n')

export function Causes({ groups, ...props }: { groups: DeadLetterGroup[] } & Omit<CauseProps, 'group'>) {
  return (
    <ul aria-label="Causes" className="divide-y divide-border">
      {groups.map(group => (
        <Cause key={keyOf(group)} group={group} {...props} />
      ))}
    </ul>
  )
}

function Cause({ group, refusal, isOpen, onBulk }: CauseProps) {
  const { count, sample, filter } = group
  const bulk = (verb: Bulk['verb']) => onBulk({ verb, target: { filter }, which: 'of this cause' })
  return (
    <li className="flex flex-wrap gap-x-4 gap-y-2 p-4">
      <div className="w-16 shrink-0 text-right max-md:flex max-md:w-full max-md:items-baseline max-md:gap-1.5">
        <div className="text-2xl leading-6 font-semibold tabular">{count.toLocaleString('en')}</div>
        <div className="text-sm text-muted">{count === 1 ? 'letter' : 'letters'}</div>
      </div>
      <div className="flex min-w-0 flex-1 basis-80 flex-col gap-1.5">
        <div className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="text-lg">{causeOf(group)}</h2>
          <CauseChips group={group} />
        </div>
        <Link
          to={`/dead-letters/${sample.id}`}
          title="Open the newest of them"
          dir="auto"
          className="line-clamp-2 font-mono text-code break-words hover:underline"
        >
          {sample.failure_message || 'No message came with it.'}
        </Link>
        <p className="flex gap-1.5 text-muted">
          <Lightbulb size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">{sample.recovery_hint}</span>
        </p>
        <p className="text-sm text-muted">
          {count === 1 ? 'Given up' : 'Oldest'} <Time value={group.oldest_at} />
          {count > 1 && (
            <>
              , newest <Time value={group.newest_at} />
            </>
          )}
          {group.notification_types.length > 0 && group.source === 'route' && (
            <> · {group.notification_types.join(', ')}</>
          )}
        </p>
      </div>
      <div className="flex shrink-0 flex-wrap items-start gap-2 max-lg:w-full md:max-lg:pl-20">
        {isOpen && (
          <>
            <Button size="small" refusal={refusal} onClick={() => bulk('replay')}>
              Replay all
            </Button>
            <Button size="small" kind="quiet" refusal={refusal} onClick={() => bulk('ignore')}>
              Ignore all
            </Button>
          </>
        )}
        <LinkButton
          size="small"
          kind="quiet"
          to="/dead-letters"
          search={(before: object) => ({ ...before, ...valuesOf(filter), view: 'list' }) as never}
        >
          Show them
        </LinkButton>
      </div>
    </li>
  )
}

function CauseChips({ group }: { group: DeadLetterGroup }) {
  const { channel, provider, template, source } = group
  return (
    <>
      {channel !== null ? (
        <Chip>
          <span className="inline-flex items-center gap-1 align-middle">
            <ChannelIcon channel={channel} size={12} />
            {CHANNEL_NAMES[channel]}
          </span>
        </Chip>
      ) : (
        <Chip>{source}</Chip>
      )}
      {provider && !namesProvider(group) && <Chip>{provider}</Chip>}
      {template && <Chip>template {template}</Chip>}
    </>
  )
}

export function CausesSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-border">
      {['a', 'b', 'c'].map(key => (
        <div key={key} className="flex gap-4 p-4">
          <Skeleton className="h-8 w-16" />
          <div className="flex flex-1 flex-col gap-2">
            <Skeleton className="h-5 w-64" />
            <Skeleton className="h-4 w-3/4" />
            <Skeleton className="h-4 w-1/2" />
          </div>
        </div>
      ))}
    </div>
  )
}
