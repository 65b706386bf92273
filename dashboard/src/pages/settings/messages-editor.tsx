/** The messages of one language, as rows or as JSON, beside what another language says. */
import type { Translations } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { sayLocale } from '../../ui/locale-input.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { readJson } from '../../ui/read-json.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useSave } from '../../ui/use-save.ts'
import { MessageRows } from './message-rows.tsx'

export function MessagesEditor({ locale, others }: { locale: string; others: string[] }) {
  const { data, error, refetch } = useTranslations(locale)
  const reference = others.includes('en') ? 'en' : others[0]
  const other = useTranslations(reference)
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="h-64 w-full" />
  return <Editor translations={data} other={other.data} />
}

function useTranslations(locale: string | undefined) {
  return useQuery({
    queryKey: ['translations', locale],
    queryFn: ({ signal }) => api.translations.get(locale!, { signal }),
    enabled: locale !== undefined,
  })
}

function Editor({
  translations: { locale, messages },
  other,
}: {
  translations: Translations
  other: Translations | undefined
}) {
  const may = useMay('templates:write')
  const queryClient = useQueryClient()
  const [view, setView] = useState<'rows' | 'json'>('rows')
  const [isDeleting, setDeleting] = useState(false)
  // As text, since it may be no JSON while it is being written.
  const form = useForm({ text: JSON.stringify(messages, null, 2) })
  const { value: shown } = readJson(form.value.text)
  const saving = useSave(async () => {
    const { value, mistake } = readJson(form.value.text)
    if (value === undefined) throw new Error(`Line ${mistake!.line}: ${mistake!.message}`)
    const after = await api.translations.put(locale, { messages: value as Record<string, string> })
    queryClient.setQueryData(['translations', locale], after)
    await queryClient.invalidateQueries({ queryKey: ['translations'] })
    toast(`${sayLocale(locale)} is saved. Every message has it within a second.`)
  })
  return (
    <>
      <Card
        title={sayLocale(locale)}
        actions={
          <>
            <Segments
              label="How messages are shown"
              value={shown === undefined ? 'json' : view}
              onChange={setView}
              options={[
                { value: 'rows', label: 'Rows' },
                { value: 'json', label: 'JSON' },
              ]}
            />
            {may && (
              <Button size="small" kind="quiet" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
          </>
        }
      >
        {view === 'json' || shown === undefined ? (
          <JsonEditor
            label={`Messages in ${locale}`}
            value={form.value.text}
            onChange={text => form.change({ text })}
            onSubmit={() => void saving.save(undefined)}
            isReadOnly={!may}
            className="min-h-64"
          />
        ) : (
          <MessageRows
            messages={shown as Record<string, string>}
            other={other}
            isReadOnly={!may}
            onChange={next => form.change({ text: JSON.stringify(next, null, 2) })}
          />
        )}
        <p className="mt-3 text-sm text-muted">
          MessageFormat 2: {'{$count}'} inserts a parameter; .match chooses by plural form.
        </p>
      </Card>
      <SaveBar
        name={sayLocale(locale)}
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
      <Confirm
        title={`Delete the translations into ${sayLocale(locale)}?`}
        action="Delete"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.translations.delete(locale)
          await queryClient.invalidateQueries({ queryKey: ['translations'] })
          toast(`The translations into ${sayLocale(locale)} are deleted.`)
        }}
      >
        All {Object.keys(messages).length} messages go. Readers of this language get the texts of the fallback
        language.
      </Confirm>
    </>
  )
}
