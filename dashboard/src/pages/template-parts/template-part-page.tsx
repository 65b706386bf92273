/** A layout or a partial: its text, how it looks, and renewing the templates that hold a copy of it. */
import type { FieldError, TemplatePart, TemplatePartKind } from '@carillon/contract'
import { CarillonError } from '@carillon/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Chip, Status } from '../../ui/status.tsx'
import { toast } from '../../ui/toasts.tsx'
import { mistakesOf } from '../templates/mistakes.ts'
import { PreviewCard } from '../templates/preview-card.tsx'
import { usePreview } from '../templates/use-preview.ts'
import { asMail } from './part-preview.ts'

const REFUSAL = 'You need templates:write: ask an owner.'
const READER = { locale: 'en', timezone: 'UTC' }

export default function TemplatePartPage() {
  const { kind = '', name = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({
    queryKey: ['template-parts', kind, name],
    queryFn: ({ signal }) => api.templateParts.get(kind as TemplatePartKind, name, { signal }),
  })
  if (data) return <PartEditor key={`${kind}/${name}`} part={data} />
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <PageSkeleton />
}

function PartEditor({ part }: { part: TemplatePart }) {
  const { kind, name, is_built_in } = part
  const mayWrite = useMay('templates:write')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [source, setSource] = useState(part.source)
  const [errors, setErrors] = useState<FieldError[]>([])
  const [open, setOpen] = useState<'publish' | 'delete'>()
  const [replacesWaiting, setReplacesWaiting] = useState(false)
  const isChanged = source !== part.source
  const mail = useMemo(() => asMail(kind, source), [kind, source])
  const preview = usePreview({ channel: 'email', ...mail, reader: READER, isAllowed: mayWrite })
  const mistakes = useMemo(() => {
    const found = mistakesOf(errors.length > 0 ? errors : preview.errors)
    return [...(found.marked.source ?? []), ...(found.marked.body ?? [])]
  }, [errors, preview.errors])
  const save = async (): Promise<boolean> => {
    if (!mayWrite) return false
    try {
      await api.templateParts.put(kind, name, { source })
      await queryClient.invalidateQueries({ queryKey: ['template-parts'] })
      toast('Saved. Published templates keep their copy until you publish this.')
      return true
    } catch (error) {
      setErrors(error instanceof CarillonError ? error.errors : [])
      toast(`Not saved: ${wordsOf(error)}`, { tone: 'bad' })
      return false
    }
  }
  return (
    <Page
      title={name}
      about={
        <>
          <Chip>{kind}</Chip>
          {is_built_in && <Chip>built in</Chip>}
          {isChanged && <Status status="draft" label="unsaved changes" />}
        </>
      }
      lead={
        kind === 'layout'
          ? 'Stands around the body of mails, which goes where {{ content }} is.'
          : `Used in templates as {% render '${name}' %}; it sees only what is passed to it.`
      }
      actions={
        <>
          {!is_built_in && (
            <Button kind="danger" onClick={() => setOpen('delete')} refusal={!mayWrite && REFUSAL}>
              Delete
            </Button>
          )}
          <Button onClick={save} refusal={mayWrite ? !isChanged && 'Nothing has changed.' : REFUSAL}>
            Save
          </Button>
          <Button
            kind="primary"
            onClick={async () => (!isChanged || (await save())) && setOpen('publish')}
            refusal={!mayWrite && REFUSAL}
          >
            Publish
          </Button>
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Text">
          <CodeEditor
            label="Text"
            language="liquid-html"
            value={source}
            onChange={text => {
              setErrors([])
              setSource(text)
            }}
            onSubmit={() => void save()}
            isReadOnly={!mayWrite}
            mistakes={mistakes}
            className="h-[calc(100dvh-16rem)] min-h-80"
          />
        </Card>
        {mayWrite && <PreviewCard channel="email" preview={preview} />}
      </div>
      <Confirm
        title={`Publish the ${kind} ${name}?`}
        action="Publish"
        isDangerous={false}
        isOpen={open === 'publish'}
        onClose={() => setOpen(undefined)}
        onConfirm={async () => {
          const { published } = await api.templateParts.publish(kind, name, {
            replace_waiting: replacesWaiting,
          })
          await queryClient.invalidateQueries({ queryKey: ['templates'] })
          toast(
            published.length === 1
              ? 'One template was published again.'
              : `${published.length || 'No'} templates were published again.`,
          )
        }}
      >
        <div className="flex flex-col gap-3">
          <p>Every published template that uses it gets a new version with this text, all of them or none.</p>
          <Checkbox
            label="Also for messages that still wait"
            checked={replacesWaiting}
            onChange={event => setReplacesWaiting(event.target.checked)}
          />
        </div>
      </Confirm>
      <Confirm
        title={`Delete the ${kind} ${name}?`}
        action="Delete"
        isOpen={open === 'delete'}
        onClose={() => setOpen(undefined)}
        onConfirm={async () => {
          await api.templateParts.delete(kind, name)
          toast(`The ${kind} ${name} is deleted.`)
          await navigate({ to: '/template-parts', ignoreBlocker: true })
          await queryClient.invalidateQueries({ queryKey: ['template-parts'] })
        }}
      >
        {kind === 'layout' && name === 'default'
          ? 'The built-in layout takes its place. Published templates keep their copy.'
          : 'Published templates keep their copy; drafts that use it cannot be published any more.'}
      </Confirm>
      <LeaveGuard name={name} isChanged={isChanged} onSave={save} />
    </Page>
  )
}
