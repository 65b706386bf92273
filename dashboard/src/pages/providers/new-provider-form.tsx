import type { Provider, ProviderKindInfo } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { DELIVERY_FIELDS, DeliverySettings, deliveryDraft, deliveryValues } from './delivery-settings.tsx'
import { CHANNEL_NAMES, type ProviderChannel } from './provider-words.ts'
import { draftOf, fieldsOf, valuesOf } from './schema-fields.ts'
import { SchemaForm } from './schema-form.tsx'
import { refreshProviders } from './use-providers.ts'

interface NewProviderFormProps {
  kind: ProviderKindInfo
  channel: ProviderChannel
  onChannel(channel: ProviderChannel): void
}

export function NewProviderForm({ kind, channel, onChannel }: NewProviderFormProps) {
  const mayWrite = useMay('providers:write')
  const navigate = useNavigate()
  const configFields = useMemo(() => fieldsOf(kind.config_schema, 'config'), [kind])
  const secretFields = useMemo(() => fieldsOf(kind.secrets_schema, 'secrets'), [kind])
  const [name, setName] = useState(kind.name.replaceAll('_', '-'))
  const [config, setConfig] = useState(() => draftOf(configFields, {}))
  const [secrets, setSecrets] = useState(() => draftOf(secretFields, {}))
  const [delivery, changeDelivery] = useDraft(deliveryDraft())
  const saving = useSave(async () => {
    const provider: Provider = await api.providers.create({
      name,
      kind: kind.name,
      channel,
      config: valuesOf(configFields, config),
      secrets: valuesOf(secretFields, secrets),
      ...deliveryValues(delivery),
    })
    await refreshProviders()
    toast(`${provider.name} is set up. Send a test to see whether it works.`)
    await navigate({ to: `/providers/${provider.id}` })
  }, ['name', 'channel', ...DELIVERY_FIELDS, ...[...configFields, ...secretFields].map(({ path }) => path)])
  return (
    <form
      className="flex max-w-[46rem] flex-col gap-4"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void saving.save(undefined)
      }}
    >
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <Card title="Account">
        <div className="flex flex-col gap-4">
          <div className="grid items-start gap-4 md:grid-cols-2">
            <Field
              label="Name"
              help="What you call it, here and in reports. It cannot be changed later."
              error={saving.errorOf('name')}
            >
              <Input value={name} autoComplete="off" onChange={event => setName(event.target.value)} />
            </Field>
            {kind.channels.length > 1 && (
              <Field label="Channel" help="What it delivers." error={saving.errorOf('channel')}>
                <Select value={channel} onChange={event => onChannel(event.target.value as ProviderChannel)}>
                  {kind.channels.map(each => (
                    <option key={each} value={each}>
                      {CHANNEL_NAMES[each]}
                    </option>
                  ))}
                </Select>
              </Field>
            )}
          </div>
          <SchemaForm fields={configFields} draft={config} onChange={setConfig} errorOf={saving.errorOf} />
        </div>
      </Card>
      {secretFields.length > 0 && (
        <Card title="Secrets">
          <div className="flex flex-col gap-4">
            <p className="text-muted">Stored encrypted, and never shown again.</p>
            <SchemaForm
              fields={secretFields}
              draft={secrets}
              onChange={setSecrets}
              errorOf={saving.errorOf}
            />
          </div>
        </Card>
      )}
      <Fold
        title="Delivery"
        summary="Order, rate, waiting time, and what to do when no answer comes"
        isOpen={DELIVERY_FIELDS.some(field => saving.errorOf(field) !== undefined)}
      >
        <DeliverySettings draft={delivery} onChange={changeDelivery} errorOf={saving.errorOf} />
      </Fold>
      <div className="flex gap-2">
        <Button
          type="submit"
          kind="primary"
          isBusy={saving.isBusy}
          refusal={!mayWrite && 'You need providers:write: ask an owner'}
        >
          Add {kind.title}
        </Button>
        <LinkButton to="/providers" kind="quiet">
          Cancel
        </LinkButton>
      </div>
    </form>
  )
}
