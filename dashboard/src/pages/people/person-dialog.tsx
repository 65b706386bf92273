/** A new person, or what is known of one. */
import type { User } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { api, isProblem } from '../../app/api.ts'
import { addressOf } from '../../shell/addresses.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import { nameOf } from './name.ts'

const FIELDS = ['email', 'username', 'phone', 'chat_address', 'locale', 'timezone'] as const
type FieldName = (typeof FIELDS)[number]

const SHAPES: Record<FieldName, { label: string; placeholder: string; help?: string }> = {
  email: { label: 'Email', placeholder: 'ada@example.com' },
  username: { label: 'Username', placeholder: 'Ada Lovelace', help: 'What the person is called.' },
  phone: { label: 'Phone', placeholder: '+4915112345678', help: 'With the country, for SMS.' },
  chat_address: {
    label: 'Chat address',
    placeholder: 'C024BE91L',
    help: 'As the chat provider knows the person.',
  },
  locale: { label: 'Locale', placeholder: 'en or pt-BR', help: 'Chooses the language of templates.' },
  timezone: { label: 'Time zone', placeholder: 'Europe/Berlin', help: 'For quiet hours and local times.' },
}

const ZONES = 'time-zones'
const myZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function PersonDialog({ user, onClose }: { user?: User; onClose(): void }) {
  const form = useId()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [id, setId] = useState(user?.id ?? '')
  const [values, setValues] = useState<Record<FieldName, string>>(() => ({
    email: user?.email ?? '',
    username: user?.username ?? '',
    phone: user?.phone ?? '',
    chat_address: user?.chat_address ?? '',
    locale: user?.locale ?? '',
    timezone: user?.timezone ?? myZone,
  }))
  const saving = useSave(async () => {
    const given = {
      email: values.email.trim() || null,
      username: values.username.trim() || null,
      phone: values.phone.trim() || null,
      chat_address: values.chat_address.trim() || null,
      locale: values.locale.trim(),
      timezone: values.timezone.trim() || 'UTC',
    }
    if (user) return api.users.update(user.id, given)
    // The call that creates would replace somebody who exists.
    if (await exists(id)) throw new Error(`Somebody has the id ${id} already.`)
    return api.users.put(id, given)
  }, [...FIELDS, 'id'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    void queryClient.invalidateQueries({ queryKey: ['people'] })
    toast(user ? 'Saved.' : `${id} was created.`)
    onClose()
    if (!user) void navigate({ to: addressOf('user', id) })
  }
  return (
    <Dialog
      title={user ? `Edit ${nameOf(user)}` : 'Create a person'}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} kind="primary" isBusy={saving.isBusy}>
            {user ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="grid gap-4 sm:grid-cols-2">
        {saving.problem && (
          <div className="sm:col-span-2">
            <Notice tone="bad">{saving.problem}</Notice>
          </div>
        )}
        {!user && (
          <Field
            label="Id"
            className="sm:col-span-2"
            error={saving.errorOf('id')}
            help="The one of your own application. It cannot be changed later."
          >
            <Input
              value={id}
              autoFocus
              required
              autoComplete="off"
              spellCheck={false}
              placeholder="ada"
              onChange={event => setId(event.target.value)}
            />
          </Field>
        )}
        {FIELDS.map(name => {
          const { label, placeholder, help } = SHAPES[name]
          return (
            <Field key={name} label={label} error={saving.errorOf(name)} {...(help && { help })}>
              <Input
                value={values[name]}
                placeholder={placeholder}
                autoComplete="off"
                dir="auto"
                {...(name === 'timezone' && { list: ZONES })}
                onChange={event => setValues(before => ({ ...before, [name]: event.target.value }))}
              />
            </Field>
          )
        })}
        <datalist id={ZONES}>
          {Intl.supportedValuesOf('timeZone').map(zone => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </form>
    </Dialog>
  )
}

async function exists(id: string): Promise<boolean> {
  try {
    await api.users.get(id)
    return true
  } catch (error) {
    if (isProblem(error, 404)) return false
    throw error
  }
}
