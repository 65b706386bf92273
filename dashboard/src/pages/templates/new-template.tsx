/** A new template, or one more language of an old one. */
import type { Channel } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { api, isProblem } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { LocaleInput } from '../../ui/locale-input.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import { type Content, starterOf, templatePath, toInput } from './content.ts'

interface NewTemplateProps {
  onClose(): void
  /** What is copied, and where it comes from. */
  source?: { name: string; channel: Channel; locale: string; content: Content }
  name?: string
}

export function NewTemplate({ onClose, source, name: given = '' }: NewTemplateProps) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const formId = useId()
  const [name, setName] = useState(source?.name ?? given)
  const [channel, setChannel] = useState<Channel>(source?.channel ?? 'email')
  const [locale, setLocale] = useState(source ? '' : 'en')
  const key = { name: name.trim(), channel, locale: locale.trim() }
  const saving = useSave(async () => {
    if (await exists(key)) {
      toast(`${key.name} has a text for ${channel} in ${key.locale} already: here it is.`)
      return
    }
    const content = source?.content ?? starterOf(channel)
    await api.templates.put(key, toInput(channel, content))
    await queryClient.invalidateQueries({ queryKey: ['templates'] })
    toast(
      source
        ? `Copied as a draft in ${key.locale}.`
        : 'Saved as a draft. Nothing uses it until you publish it.',
    )
  }, ['name', 'locale', 'channel'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    onClose()
    void navigate({ to: templatePath(key.name, key.channel, key.locale) })
  }
  return (
    <Dialog
      title={source ? 'Copy to another language' : 'Create a template'}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy}>
            {source ? 'Copy' : 'Create draft'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        {source ? (
          <p className="text-muted">
            A draft with the text of {source.name} for {source.channel} in {source.locale}, to be translated.
            It is used for people with that language once you publish it.
          </p>
        ) : (
          <>
            <NameField name={name} onChange={setName} error={saving.errorOf('name')} />
            <Field label="Channel" error={saving.errorOf('channel')}>
              <Select value={channel} onChange={event => setChannel(event.target.value as Channel)}>
                {CHANNELS.map(each => (
                  <option key={each} value={each}>
                    {CHANNEL_NAMES[each]}
                  </option>
                ))}
              </Select>
            </Field>
          </>
        )}
        <Field
          label="Language"
          error={saving.errorOf('locale')}
          help="Such as en, de or pt-BR. People whose language has no text get the one of the fallback language, else English."
        >
          <LocaleInput required autoFocus={source !== undefined} value={locale} onChange={setLocale} />
        </Field>
      </form>
    </Dialog>
  )
}

function NameField({
  name,
  onChange,
  error,
}: {
  name: string
  onChange(name: string): void
  error: string | undefined
}) {
  const listId = useId()
  const { data } = useQuery({
    queryKey: ['notification-types'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
  })
  return (
    <Field label="Name" error={error} help="The name of the type that uses it, such as order_shipped.">
      <Input
        required
        autoFocus
        autoComplete="off"
        list={listId}
        maxLength={100}
        value={name}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {data?.data.map(type => (
          <option key={type.name} value={type.name} />
        ))}
      </datalist>
    </Field>
  )
}

async function exists(key: Parameters<typeof api.templates.get>[0]): Promise<boolean> {
  try {
    await api.templates.get(key)
    return true
  } catch (error) {
    if (isProblem(error, 404)) return false
    throw error
  }
}
