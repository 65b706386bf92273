/** One run: what it logged, did and gave back, and where it failed. */
import type { RunDetail } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../../app/api.ts'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Id } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Facts } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'
import { Effects } from './effects.tsx'
import { RunLog } from './run-log.tsx'
import { EVENT_KINDS, FAILURES, mistakesOf } from './script-words.ts'

export function RunSheet({ id, onClose }: { id: string | undefined; onClose(): void }) {
  const { data, error } = useQuery({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => api.runs.get(id!, { signal }),
    enabled: id !== undefined,
  })
  return (
    <Dialog
      title={data ? `Run of ${data.script_name}` : 'Run'}
      isSheet
      isOpen={id !== undefined}
      onClose={onClose}
    >
      {error ? <Problem error={error} /> : data ? <RunView run={data} /> : <Skeleton className="h-64" />}
    </Dialog>
  )
}

function RunView({ run }: { run: RunDetail }) {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {run.status === 'failed' && (
        <Notice tone="bad">
          {run.failure_kind && `${FAILURES[run.failure_kind]}. `}
          <span className="block font-mono text-code">{run.error}</span>
        </Notice>
      )}
      <Facts
        facts={[
          ['Status', <Status key="status" status={run.status} />],
          ['Ran', <Time key="at" value={run.created_at} />],
          ['Because of', `${EVENT_KINDS[run.kind]} ${run.op}`],
          run.trigger_id !== null && [
            'Trigger',
            <Link key="trigger" to={`/triggers/${run.trigger_id}`} className="text-accent hover:underline">
              Open the trigger
            </Link>,
          ],
          [
            'Script',
            <Link key="script" to={`/scripts/${run.script_id}`} className="text-accent hover:underline">
              {run.script_name}, version {run.script_version}
            </Link>,
          ],
          run.attempt > 1 && ['Attempt', run.attempt],
          ['Took', `${sayDuration(run.duration_ms)}, ${sayDuration(run.cpu_ms)} of the processor`],
          ['Ran as', run.ran_as],
          ['Caused by', run.origin],
          ['Event', <Id key="event" value={run.event_id} />],
          ['Run', <Id key="id" value={run.id} />],
        ]}
      />
      <Part title="Log">
        <RunLog lines={run.logs} />
      </Part>
      <Part title={run.status === 'failed' ? 'Effects: none, because it failed' : 'What it did'}>
        {run.status === 'succeeded' && <Effects effects={run.effects} />}
      </Part>
      {run.result_json !== null && (
        <Part title="Result">
          <JsonView value={run.result_json} />
        </Part>
      )}
      {mistakesOf(run.error).length > 0 && <Source run={run} />}
    </div>
  )
}

/** The version that ran, with the mistake marked. */
function Source({ run }: { run: RunDetail }) {
  const { data } = useQuery({
    queryKey: ['scripts', run.script_id, 'version', run.script_version],
    queryFn: ({ signal }) => api.scripts.version(run.script_id, run.script_version, { signal }),
  })
  if (data === undefined) return null
  return (
    <Part title={`Version ${run.script_version}`}>
      <CodeEditor
        label="The script as it ran"
        language="javascript"
        value={data.source}
        isReadOnly
        mistakes={mistakesOf(run.error)}
        className="max-h-80"
      />
    </Part>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex min-w-0 flex-col gap-2">
    <h3 className="text-lg">{title}</h3>
    {children}
  </section>
)
