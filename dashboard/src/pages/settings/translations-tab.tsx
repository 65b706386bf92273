/** The tenant's own texts by language, which templates use with {{ 'key' | t }}. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Languages, Plus } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { LocaleInput, sayLocale } from '../../ui/locale-input.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useSave } from '../../ui/use-save.ts'
import { MessagesEditor } from './messages-editor.tsx'

export function TranslationsTab() {
  const may = useMay('templates:write')
  const [isNew, setNew] = useState(false)
  const filters = useFilters(['language'])
  const { data, error, refetch } = useQuery({
    queryKey: ['translations'],
    queryFn: ({ signal }) => api.translations.list({ signal }),
  })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="h-64 w-full" />
  const chosen = data.data.find(({ locale }) => locale === filters.values.language) ?? data.data[0]
  const choose = (language: string) => filters.set({ language })
  const add = (
    <Button
      size="small"
      onClick={() => setNew(true)}
      refusal={!may && 'You need templates:write: ask an owner.'}
    >
      <Plus size={14} aria-hidden="true" />
      Add
    </Button>
  )
  return (
    <>
      {chosen === undefined ? (
        <Card>
          <Empty
            icon={Languages}
            title="There are no translations yet"
            text="One template can serve every language: it names messages, and each language has its own text for them, with its own plural rules."
            command="{{ 'order.parcels' | t: count: order.parcels }}"
            action={add}
          />
        </Card>
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[15rem_minmax(0,1fr)]">
          <Card isFlush title="Languages" actions={add}>
            <ul>
              {data.data.map(({ locale, keys }) => (
                <li key={locale}>
                  <button
                    type="button"
                    aria-pressed={locale === chosen.locale}
                    onClick={() => choose(locale)}
                    className={classes(
                      'flex h-9 w-full items-center justify-between gap-2 px-4 text-left',
                      locale === chosen.locale ? 'bg-accent-soft' : 'hover:bg-hover',
                    )}
                  >
                    <span className="cut">
                      {sayLocale(locale)} <span className="text-muted">{locale}</span>
                    </span>
                    <span className="tabular text-sm text-muted">{keys}</span>
                  </button>
                </li>
              ))}
            </ul>
          </Card>
          <MessagesEditor
            key={chosen.locale}
            locale={chosen.locale}
            others={data.data.map(({ locale }) => locale).filter(locale => locale !== chosen.locale)}
          />
        </div>
      )}
      {isNew && <NewLanguage onClose={() => setNew(false)} onCreated={choose} />}
    </>
  )
}

function NewLanguage({ onClose, onCreated }: { onClose(): void; onCreated(locale: string): void }) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [locale, setLocale] = useState('')
  const saving = useSave(async () => {
    // Changes nothing where the language exists already.
    const known = await api.translations.list()
    if (!known.data.some(each => each.locale === locale)) await api.translations.put(locale, { messages: {} })
    await queryClient.invalidateQueries({ queryKey: ['translations'] })
  }, ['locale'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    onCreated(locale)
    onClose()
  }
  return (
    <Dialog
      title="Add a language"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy}>
            Add
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Language" error={saving.errorOf('locale')} help="Such as en, de or pt-BR.">
          <LocaleInput required autoFocus value={locale} onChange={setLocale} />
        </Field>
      </form>
    </Dialog>
  )
}
