/** Name and limits, what runs it, and the end of it. */
import type { Script } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { changedValues } from '../../ui/changed-values.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Columns, Facts } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { LimitFields, NameFields, SCRIPT_FIELDS, scriptDraft, scriptValues } from './script-fields.tsx'

export function ScriptSettings({ script }: { script: Script }) {
  const mayWrite = useMay('scripts:write')
  const navigate = useNavigate()
  const [opened, setOpened] = useState(() => scriptDraft(script))
  const [draft, change] = useDraft(opened)
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSave(async () => {
    await api.scripts.update(script.id, changedValues(scriptValues(opened), scriptValues(draft)))
    setOpened(draft)
    await queryClient.invalidateQueries({ queryKey: ['scripts'] })
    toast('The settings are saved.')
  }, SCRIPT_FIELDS)
  const refusal = !mayWrite && 'You need scripts:write: ask an owner'
  return (
    <Columns
      main={
        <Card title="Name and limits">
          <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
            {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
            <NameFields draft={draft} onChange={change} errorOf={saving.errorOf} />
            <LimitFields draft={draft} onChange={change} errorOf={saving.errorOf} />
          </fieldset>
          <div className="mt-4 flex justify-between">
            <Button
              kind="primary"
              isBusy={saving.isBusy}
              refusal={refusal}
              onClick={() => void saving.save(undefined)}
            >
              Save
            </Button>
            <Button kind="danger" refusal={refusal} onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </div>
          <Confirm
            title={`Delete the script ${script.name}?`}
            action="Delete"
            isOpen={isDeleting}
            onClose={() => setDeleting(false)}
            onConfirm={async () => {
              await api.scripts.delete(script.id)
              toast(`${script.name} was deleted.`)
              await navigate({ to: '/scripts' })
              await queryClient.invalidateQueries({ queryKey: ['scripts'] })
            }}
          >
            All of its versions are gone, and it cannot be invoked any more. It is refused while triggers run
            it. Runs that are over stay until they expire.
          </Confirm>
        </Card>
      }
      aside={
        <>
          <Card title="Facts">
            <Facts
              facts={[
                ['Saved by', script.author],
                ['May do', script.author_scopes.join(', ') || 'Nothing'],
                ['Created', <Time key="created" value={script.created_at} />],
                ['Changed', <Time key="updated" value={script.updated_at} />],
              ]}
            />
          </Card>
          <ScriptTriggers script={script} />
        </>
      }
    />
  )
}

function ScriptTriggers({ script }: { script: Script }) {
  const mayWrite = useMay('triggers:write')
  const { data, error } = useQuery({
    queryKey: ['triggers', 'of-script', script.id],
    queryFn: ({ signal }) => api.triggers.list({ script_id: script.id, limit: 100 }, { signal }),
    enabled: useMay('triggers:read'),
  })
  return (
    <Card title="Triggers">
      {error ? (
        <Problem error={error} />
      ) : data === undefined ? (
        <Skeleton className="h-8 w-full" />
      ) : (
        <div className="flex flex-col items-start gap-2">
          {data.data.length === 0 && <p className="text-muted">Nothing makes it run yet.</p>}
          {data.data.map(({ id, name, is_enabled }) => (
            <Link
              key={id}
              to={`/triggers/${id}`}
              className="flex max-w-full items-center gap-2 text-accent hover:underline"
            >
              <span className="cut">{name}</span>
              {!is_enabled && <Status status="inactive" label="Off" />}
            </Link>
          ))}
          {mayWrite && (
            <LinkButton size="small" to="/triggers/new" search={{ script: script.id } as never}>
              Add a trigger
            </LinkButton>
          )}
        </div>
      )}
    </Card>
  )
}
