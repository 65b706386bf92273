import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { ScriptEditor } from './script-editor.tsx'
import { LimitFields, NameFields, SCRIPT_FIELDS, scriptDraft, scriptValues } from './script-fields.tsx'

const STARTER = `export default async event => {
  log(event.kind, event.op, event.data)

  await notify({
    notification_type: 'hello',
    audience: { kind: 'users', user_ids: ['ada'] },
    payload: { text: 'Something happened' },
  })
}
`

export default function NewScriptPage() {
  const mayWrite = useMay('scripts:write')
  const navigate = useNavigate()
  const [draft, change] = useDraft(scriptDraft())
  const [source, setSource] = useState(STARTER)
  const saving = useSave(async () => {
    const script = await api.scripts.create({ ...scriptValues(draft), source })
    await queryClient.invalidateQueries({ queryKey: ['scripts'] })
    toast(`${script.name} is saved. A trigger makes it run.`)
    await navigate({ to: `/scripts/${script.id}` })
  }, SCRIPT_FIELDS)
  const save = () => void saving.save(undefined)
  const refusal = !mayWrite && 'You need scripts:write: ask an owner'
  const { name: _, description: __, ...limits } = scriptValues(draft)
  return (
    <Page
      title="Write a script"
      actions={
        <>
          <LinkButton to="/scripts" kind="quiet">
            Cancel
          </LinkButton>
          <Button kind="primary" isBusy={saving.isBusy} refusal={refusal} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <Card>
        <NameFields draft={draft} onChange={change} errorOf={saving.errorOf} />
      </Card>
      <ScriptEditor
        source={source}
        onChange={setSource}
        onSave={save}
        mistakes={saving.mistakes}
        run={event => api.scripts.testSource({ source, event, ...limits })}
        testRefusal={refusal}
      />
      <Fold
        title="Limits"
        summary="Time, processor, memory"
        isOpen={['timeout_ms', 'cpu_ms', 'memory_mb'].some(field => saving.errorOf(field))}
      >
        <LimitFields draft={draft} onChange={change} errorOf={saving.errorOf} />
      </Fold>
    </Page>
  )
}
