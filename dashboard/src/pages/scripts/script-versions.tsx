/** What the script was before, what changed, and the way back. */
import type { Script, ScriptVersion } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeDiff, CodeEditor } from '../../ui/code-editor.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'

const COLUMNS: Column<ScriptVersion>[] = [
  {
    title: 'Version',
    width: 'w-52',
    csv: ({ version }) => version,
    cell: ({ version, is_current, restored_from }) => (
      <span className="inline-flex items-center gap-2">
        {version}
        {is_current && <Chip tone="ok">runs now</Chip>}
        {restored_from !== null && <Chip>from {restored_from}</Chip>}
      </span>
    ),
  },
  {
    title: 'Saved by',
    from: 'md',
    csv: ({ author }) => author,
    cell: ({ author }) => <span className="text-muted">{author}</span>,
  },
  {
    title: 'Bytes',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ source_bytes }) => source_bytes,
    cell: ({ source_bytes }) => source_bytes.toLocaleString('en'),
  },
  {
    title: 'Saved',
    width: 'w-28',
    csv: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
]

export function ScriptVersions({ script }: { script: Script }) {
  const chosen = useFilters(['version'])
  const list = useRows<ScriptVersion>(['scripts', script.id, 'versions'], (position, options) =>
    api.scripts.versions(script.id, position, options),
  )
  const version = Number(chosen.values.version) || undefined
  return (
    <>
      <ListCard
        label="Versions"
        list={list}
        columns={COLUMNS}
        idOf={row => String(row.version)}
        onOpen={row => chosen.set({ version: String(row.version) })}
        empty={null}
      />
      {version !== undefined && <VersionCard key={version} script={script} version={version} />}
    </>
  )
}

/** How a version differs from the one that runs now. */
function VersionCard({ script, version }: { script: Script; version: number }) {
  const mayWrite = useMay('scripts:write')
  const [isAsking, setAsking] = useState(false)
  const isCurrent = version === script.version
  const { data } = useQuery({
    queryKey: ['scripts', script.id, 'version', version],
    queryFn: ({ signal }) => api.scripts.version(script.id, version, { signal }),
  })
  return (
    <Card
      title={
        isCurrent ? `Version ${version}, which runs now` : `From version ${version} to ${script.version}`
      }
      actions={
        !isCurrent && (
          <Button
            size="small"
            refusal={!mayWrite && 'You need scripts:write: ask an owner'}
            onClick={() => setAsking(true)}
          >
            Run version {version} again
          </Button>
        )
      }
    >
      {data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : isCurrent ? (
        <CodeEditor label="The script" language="javascript" value={data.source} isReadOnly />
      ) : data.source === script.source ? (
        <p className="text-muted">It is the same text as the one that runs now.</p>
      ) : (
        <CodeDiff before={data.source} after={script.source} language="javascript" />
      )}
      <Confirm
        title={`Run version ${version} of ${script.name} again?`}
        action="Roll back"
        isDangerous={false}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const restored = await api.scripts.rollBack(script.id, { version })
          await queryClient.invalidateQueries({ queryKey: ['scripts'] })
          toast(`Version ${version} runs again, as version ${restored.version}.`)
        }}
      >
        Its text becomes version {script.version + 1}, saved by you, and runs from then on. Nothing is lost:
        version {script.version} stays in the list.
      </Confirm>
    </Card>
  )
}
