/** What was done to one thing, and by whom. */
import type { AuditLog } from '@carillon/contract'
import { History } from 'lucide-react'
import { api } from '../app/api.ts'
import { useMay } from '../app/session.tsx'
import { Actor } from './actor.tsx'
import { sayDone, sayResource } from './audit-words.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'
import { FieldDiff } from './field-diff.tsx'
import { Card } from './page.tsx'
import { Notice, Problem } from './problem.tsx'
import { Skeleton } from './skeleton.tsx'
import { type Moment, Timeline } from './timeline.tsx'
import { useKeyNames } from './use-key-names.ts'
import { useRows } from './use-rows.ts'

const TONES: Record<string, Moment['tone']> = { create: 'ok', delete: 'bad', update: 'info', replay: 'info' }

const momentOf = (row: AuditLog, keys: ReadonlyMap<string, string>): Moment => ({
  at: row.created_at,
  tone: TONES[row.action] ?? 'idle',
  text: (
    <>
      <b className="font-medium">
        <Actor row={row} keys={keys} />
      </b>{' '}
      {sayDone(row)} the {sayResource(row.resource_type)}
    </>
  ),
  detail: <FieldDiff before={row.old_values} after={row.new_values} />,
})

export function AuditTrail({ type, id }: { type: string; id: string }) {
  const may = useMay('audit_logs:read')
  const keys = useKeyNames()
  const list = useRows(
    ['audit-logs', 'of', type, id],
    (position, options) => api.auditLogs.list({ resource_type: type, resource_id: id, ...position }, options),
    { enabled: may },
  )
  if (!may) return <Notice tone="info">You need audit_logs:read to see who did what: ask an owner.</Notice>
  return (
    <Card>
      {list.error ? (
        <Problem error={list.error} onRetry={list.retry} />
      ) : list.rows === undefined ? (
        <Skeleton className="h-16 w-full" />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={History}
          title="Nobody has done anything yet"
          text={`Every change of this ${sayResource(type)} is written down here, with who made it.`}
        />
      ) : (
        <>
          <Timeline label="Who did what" moments={list.rows.map(row => momentOf(row, keys))} />
          {list.hasMore && (
            <Button kind="quiet" isBusy={list.isLoadingMore} onClick={list.loadMore}>
              Load more
            </Button>
          )}
        </>
      )}
    </Card>
  )
}
