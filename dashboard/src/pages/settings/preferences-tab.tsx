/** What applies to people who have chosen nothing. */
import type { Channel, DefaultPreferences, DefaultPreferencesInput } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { readJson } from '../../ui/read-json.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useSave } from '../../ui/use-save.ts'
import { CategoryDefaults } from './category-defaults.tsx'
import { ChannelDefaults } from './channel-defaults.tsx'

export function PreferencesTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ['preferences', 'defaults'],
    queryFn: ({ signal }) => api.preferences.getDefaults({ signal }),
  })
  if (data) return <DefaultsForm stored={data} />
  return error ? (
    <Problem error={error} onRetry={() => void refetch()} />
  ) : (
    <Skeleton className="h-64 w-full" />
  )
}

function DefaultsForm({ stored }: { stored: DefaultPreferences }) {
  const may = useMay('preferences:write')
  const queryClient = useQueryClient()
  const [view, setView] = useState<'form' | 'json'>('form')
  const form = useForm({ text: JSON.stringify(stored, null, 2) })
  const read = readJson(form.value.text)
  const value = read.value as DefaultPreferences | undefined
  const change = (next: DefaultPreferences) => form.change({ text: JSON.stringify(next, null, 2) })
  const saving = useSave(async () => {
    if (value === undefined) throw new Error(`Line ${read.mistake!.line}: ${read.mistake!.message}`)
    const after = await api.preferences.putDefaults(value as DefaultPreferencesInput)
    queryClient.setQueryData(['preferences', 'defaults'], after)
    toast('The defaults are saved. They apply to whoever has chosen nothing.')
  })
  const isForm = view === 'form' && value !== undefined
  return (
    <>
      {!may && (
        <Notice tone="info">You may look, but not change anything: that needs preferences:write.</Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">
          What applies until a person chooses something else on their preference page.
        </p>
        <Segments
          label="How the defaults are shown"
          value={isForm ? 'form' : 'json'}
          onChange={setView}
          options={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {isForm ? (
        <>
          <ChannelDefaults
            value={value.channels ?? {}}
            onChange={channels => change({ ...value, channels })}
            isReadOnly={!may}
          />
          <CategoryDefaults
            value={(value.categories ?? {}) as Record<string, Partial<Record<Channel, boolean>>>}
            onChange={categories => change({ ...value, categories })}
            isReadOnly={!may}
          />
        </>
      ) : (
        <Card>
          <JsonEditor
            label="Default preferences"
            value={form.value.text}
            onChange={text => form.change({ text })}
            onSubmit={() => void saving.save(undefined)}
            isReadOnly={!may}
            className="min-h-64"
          />
        </Card>
      )}
      <SaveBar
        name="the default preferences"
        isInTab
        isChanged={form.isChanged}
        isBusy={saving.isBusy}
        problem={saving.problem}
        onSave={() => saving.save(undefined)}
        onDiscard={() => {
          saving.clear()
          form.discard()
        }}
      />
    </>
  )
}
