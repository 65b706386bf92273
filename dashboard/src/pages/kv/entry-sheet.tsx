/** One entry: its value to read and change, unless somebody else was faster. */
import type { KvEntry } from '@carillon/contract'
import { CarillonError } from '@carillon/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Facts } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import { expiryText, ttlOf } from './expiry.ts'

interface EntrySheetProps {
  collection: string
  entryKey: string | undefined
  onClose(): void
}

const refresh = () => queryClient.invalidateQueries({ queryKey: ['kv'] })

export function EntrySheet({ collection, entryKey, onClose }: EntrySheetProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['kv', 'entry', collection, entryKey],
    queryFn: ({ signal }) => api.kv.get(collection, entryKey!, { signal }),
    enabled: entryKey !== undefined,
    // What is being edited must not change under the hands of whoever edits it.
    refetchOnWindowFocus: false,
    staleTime: 0,
  })
  return (
    <Dialog title={entryKey ?? ''} isSheet isOpen={entryKey !== undefined} onClose={onClose}>
      {error ? (
        <Problem error={error} />
      ) : data === undefined ? (
        <Skeleton className="h-64" />
      ) : (
        <EntryForm key={data.version} entry={data} onClose={onClose} onReload={() => void refetch()} />
      )}
    </Dialog>
  )
}

interface EntryFormProps {
  entry: KvEntry
  onClose(): void
  onReload(): void
}

function EntryForm({ entry, onClose, onReload }: EntryFormProps) {
  const { collection, key, version } = entry
  const mayWrite = useMay('kv:write')
  const [text, setText] = useState(() => JSON.stringify(entry.value, null, 2))
  const [expires, setExpires] = useState(() => expiryText(entry.expires_at))
  const [isDeleting, setDeleting] = useState(false)
  const [isConflict, setConflict] = useState(false)
  const saving = useSave(
    async (isForced: boolean) => {
      const value: unknown = JSON.parse(text)
      const ttl = ttlOf(expires, entry.expires_at, Date.now())
      setConflict(false)
      try {
        await api.kv.set(collection, key, { value, ...ttl, ...(!isForced && { version }) })
      } catch (error) {
        if (!(error instanceof CarillonError && error.code === 'version_conflict')) throw error
        return setConflict(true)
      }
      await refresh()
      toast(`${key} is stored.`)
    },
    ['value', 'ttl_seconds'],
  )
  const refusal = !mayWrite && 'You need kv:write: ask an owner'
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {isConflict && (
        <Notice tone="warn">
          Somebody changed this entry after you opened version {version}, so nothing was stored.
          <span className="mt-2 flex flex-wrap gap-2">
            <Button size="small" onClick={onReload}>
              Show what is stored now
            </Button>
            <Button size="small" kind="danger" onClick={() => void saving.save(true)}>
              Overwrite it
            </Button>
          </span>
        </Notice>
      )}
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <CodeEditor
        label="Value"
        language="json"
        value={text}
        onChange={setText}
        onSubmit={() => void saving.save(false)}
        isReadOnly={!mayWrite}
        className="max-h-[50vh] min-h-40"
      />
      {saving.errorOf('value') && <p className="text-sm text-bad">{saving.errorOf('value')}</p>}
      <Field
        label="Expires"
        isOptional
        help="In your time zone. If left empty: never."
        error={saving.errorOf('ttl_seconds')}
      >
        <Input
          type="datetime-local"
          value={expires}
          disabled={!mayWrite}
          onChange={event => setExpires(event.target.value)}
        />
      </Field>
      <Facts
        facts={[
          ['Version', version],
          ['Bytes', entry.bytes.toLocaleString('en')],
          ['Created', <Time key="created" value={entry.created_at} />],
          ['Changed', <Time key="updated" value={entry.updated_at} />],
        ]}
      />
      <div className="flex justify-between">
        <Button
          kind="primary"
          isBusy={saving.isBusy}
          refusal={refusal}
          onClick={() => void saving.save(false)}
        >
          Save
        </Button>
        <Button kind="danger" refusal={refusal} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      <Confirm
        title={`Delete ${key} from ${collection}?`}
        action="Delete"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.kv.delete(collection, key, { version })
          onClose()
          await refresh()
          toast(`${key} was deleted.`)
        }}
      >
        Scripts and applications that read it find nothing. Triggers for deletions in {collection} run.
      </Confirm>
    </div>
  )
}
