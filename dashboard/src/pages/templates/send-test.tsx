/** A real message with the published text, to one person or address. */
import type { Audience, Template } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay, useSession } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useSave } from '../../ui/use-save.ts'

interface SendTestProps {
  template: Pick<Template, 'name' | 'channel' | 'locale' | 'published_version'>
  isDraftNewer: boolean
  payload: Record<string, unknown>
  onClose(): void
}

const ADDRESSES = {
  email: ['Address', 'ada@example.com'],
  sms: ['Number', '+4915112345678'],
  push: ['Device token', ''],
  chat: ['Address', 'a channel or a number'],
  webhook: ['URL', 'https://example.com/hook'],
} as const

export function SendTest({ template, isDraftNewer, payload, onClose }: SendTestProps) {
  const { name, channel, locale, published_version } = template
  const { account } = useSession()
  const mayHand = useMay('intents:write')
  const formId = useId()
  const [to, setTo] = useState<'person' | 'address'>(channel === 'in_app' ? 'person' : 'address')
  const [person, setPerson] = useState('')
  const [address, setAddress] = useState(channel === 'email' ? (account?.email ?? '') : '')
  const [type, setType] = useState<string>()
  const [sentId, setSentId] = useState<string>()
  const types = useTypes(name, channel)
  const notification_type = type ?? types[0]!
  const audience: Audience =
    to === 'person' || channel === 'in_app'
      ? { kind: 'users', user_ids: [person.trim()] }
      : { kind: 'addresses', channel, addresses: [address.trim()] }
  const saving = useSave(async () => {
    const { notification_id } = await api.intents.send({
      notification_type,
      template: name,
      channels: [channel],
      audience,
      payload,
    })
    setSentId(notification_id)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void saving.save(undefined)
  }
  const [label, placeholder] = channel === 'in_app' ? ['', ''] : ADDRESSES[channel]
  return (
    <Dialog
      title={`Send a test of ${name}`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{sentId ? 'Close' : 'Cancel'}</Button>
          {sentId ? (
            <LinkButton kind="primary" to={`/activity/${sentId}`}>
              Watch it
            </LinkButton>
          ) : (
            <Button
              kind="primary"
              type="submit"
              form={formId}
              isBusy={saving.isBusy}
              refusal={!mayHand && 'You need intents:write: ask an owner.'}
            >
              Send
            </Button>
          )}
        </>
      }
    >
      {sentId ? (
        <Notice tone="ok">
          Accepted.{' '}
          <Link to={`/activity/${sentId}`} className="underline">
            The notification’s page
          </Link>{' '}
          shows what becomes of it.
        </Notice>
      ) : (
        <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
          {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
          {isDraftNewer && (
            <Notice tone="warn">
              Your draft is newer. Version {published_version} is sent; publish the draft to send that.
            </Notice>
          )}
          {channel !== 'in_app' && (
            <Segments
              label="Who gets it"
              value={to}
              onChange={setTo}
              options={[
                { value: 'address', label: label },
                { value: 'person', label: 'Person' },
              ]}
            />
          )}
          {to === 'person' ? (
            <Field
              label="User id"
              help={`Their preferences, quiet hours and caps apply. The text is the one in their language, not necessarily ${locale}.`}
            >
              <Input
                required
                autoFocus
                autoComplete="off"
                value={person}
                onChange={event => setPerson(event.target.value)}
              />
            </Field>
          ) : (
            <Field
              label={label}
              help="Without a person there is no language: the text of the fallback language is used."
            >
              <Input
                required
                autoFocus
                placeholder={placeholder}
                value={address}
                onChange={event => setAddress(event.target.value)}
              />
            </Field>
          )}
          <Field label="Type" help="Decides the provider, the category and what else applies.">
            <Select value={notification_type} onChange={event => setType(event.target.value)}>
              {types.map(each => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </Select>
          </Field>
          <p className="text-muted">
            An intent of this type is accepted with the sample payload, for {channel} alone, and delivered by
            your provider like any other. It stands under Activity.
          </p>
        </form>
      )}
    </Dialog>
  )
}

/** Those that use the template come first. */
function useTypes(name: string, channel: Template['channel']): string[] {
  const { data } = useQuery({
    queryKey: ['notification-types'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
  })
  const all = data?.data ?? []
  const users = all.filter(type => (type.templates[channel] ?? type.name) === name).map(type => type.name)
  return [...new Set([...users, ...(users.length === 0 ? [name] : []), ...all.map(type => type.name)])]
}
