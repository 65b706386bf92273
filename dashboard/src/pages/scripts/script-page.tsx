/** One script: its text, what it did, and what it was before. */
import type { Script } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Chip } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import { RunsCard } from './runs-card.tsx'
import { ScriptEditor } from './script-editor.tsx'
import { ScriptSettings } from './script-settings.tsx'
import { ScriptVersions } from './script-versions.tsx'

export default function ScriptPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['scripts', id],
    queryFn: ({ signal }) => api.scripts.get(id, { signal }),
  })
  if (error && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />
  return data === undefined ? <PageSkeleton /> : <ScriptView key={id} script={data} />
}

function ScriptView({ script }: { script: Script }) {
  const { id, name, version } = script
  const mayWrite = useMay('scripts:write')
  const [draft, setDraft] = useState<string>()
  const source = draft ?? script.source
  const isDirty = source !== script.source
  const saving = useSave(async () => {
    const saved = await api.scripts.update(id, { source })
    queryClient.setQueryData(['scripts', id], saved)
    setDraft(undefined)
    await queryClient.invalidateQueries({ queryKey: ['scripts'] })
    toast(`Saved as version ${saved.version}, which runs from now on.`)
  })
  const refusal = !mayWrite && 'You need scripts:write: ask an owner'
  const save = () => {
    if (isDirty && mayWrite) void saving.save(undefined)
  }
  return (
    <Page
      title={name}
      about={
        <>
          <Chip>version {version}</Chip>
          {isDirty && <Chip tone="warn">not saved</Chip>}
          <Id value={id} />
        </>
      }
      lead={script.description || undefined}
      actions={
        <>
          {isDirty && (
            <Button kind="quiet" onClick={() => setDraft(undefined)}>
              Discard
            </Button>
          )}
          <Button
            kind="primary"
            isBusy={saving.isBusy}
            disabled={!isDirty && mayWrite}
            refusal={refusal}
            onClick={save}
          >
            Save version {version + 1}
          </Button>
        </>
      }
    >
      <LeaveGuard name={name} isChanged={isDirty} onSave={() => saving.save(undefined)} />
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <Tabs
        label="About this script"
        tabs={[
          {
            value: 'code',
            title: 'Code',
            content: (
              <ScriptEditor
                source={source}
                onChange={setDraft}
                onSave={save}
                mistakes={saving.mistakes}
                run={event => api.scripts.test(id, { source, event })}
                testRefusal={refusal}
                isReadOnly={!mayWrite}
              />
            ),
          },
          {
            value: 'runs',
            title: 'Runs',
            content: (
              <RunsCard
                of={{ script_id: id }}
                hint="It runs when one of its triggers fires or somebody invokes it."
              />
            ),
          },
          {
            value: 'versions',
            title: 'Versions',
            content: <ScriptVersions script={script} />,
          },
          { value: 'settings', title: 'Settings', content: <ScriptSettings script={script} /> },
          {
            value: 'json',
            title: 'JSON',
            content: (
              <Card>
                <JsonView value={script} />
              </Card>
            ),
          },
        ]}
      />
    </Page>
  )
}
