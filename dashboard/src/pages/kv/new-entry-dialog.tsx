import { useNavigate } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { ttlOf } from './expiry.ts'

interface NewEntryDialogProps {
  /** Where it goes, if that is clear. */
  collection?: string
  isOpen: boolean
  onClose(): void
}

export function NewEntryDialog({ collection = '', isOpen, onClose }: NewEntryDialogProps) {
  const empty = { collection, key: '', value: '{}', expires: '' }
  const [draft, change, replace] = useDraft(empty)
  const navigate = useNavigate()
  const close = () => {
    replace(empty)
    saving.clear()
    onClose()
  }
  const saving = useSave(async () => {
    const value: unknown = JSON.parse(draft.value)
    const ttl = ttlOf(draft.expires, null, Date.now())
    // Version 0: an entry that is there already is not overwritten.
    const entry = await api.kv.set(draft.collection.trim(), draft.key, { value, version: 0, ...ttl })
    await queryClient.invalidateQueries({ queryKey: ['kv'] })
    toast(`${entry.collection} / ${entry.key} is stored.`)
    close()
    await navigate({ to: `/kv/${encodeURIComponent(entry.collection)}` })
  }, ['collection', 'key', 'value', 'ttl_seconds'])
  return (
    <Dialog
      title="Add an entry"
      isOpen={isOpen}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind="primary"
            isBusy={saving.isBusy}
            refusal={(!draft.collection.trim() || !draft.key) && 'Give it a collection and a key'}
            onClick={() => void saving.save(undefined)}
          >
            Add
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Collection" help="Letters, digits and . _ : -" error={saving.errorOf('collection')}>
          <Input
            value={draft.collection}
            readOnly={collection !== ''}
            className="font-mono text-code"
            onChange={event => change({ collection: event.target.value })}
          />
        </Field>
        <Field label="Key" error={saving.errorOf('key')}>
          <Input
            value={draft.key}
            autoComplete="off"
            className="font-mono text-code"
            onChange={event => change({ key: event.target.value })}
          />
        </Field>
        <Field label="Value" help="Any JSON of up to 64 KiB." error={saving.errorOf('value')}>
          <CodeEditor
            label="Value"
            language="json"
            value={draft.value}
            onChange={value => change({ value })}
            className="h-40"
          />
        </Field>
        <Field
          label="Expires"
          isOptional
          help="In your time zone. If left empty: never."
          error={saving.errorOf('ttl_seconds')}
        >
          <Input
            type="datetime-local"
            value={draft.expires}
            onChange={event => change({ expires: event.target.value })}
          />
        </Field>
      </div>
    </Dialog>
  )
}
