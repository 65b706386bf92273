/** The same form again, with what is set; secrets are replaced, never shown. */
import type { Provider, ProviderKindInfo } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { changedValues } from '../../ui/changed-values.ts'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Chip } from '../../ui/status.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { DELIVERY_FIELDS, DeliverySettings, deliveryDraft, deliveryValues } from './delivery-settings.tsx'
import { draftOf, fieldsOf, type SchemaDraft, type SchemaField, valuesOf } from './schema-fields.ts'
import { SchemaForm } from './schema-form.tsx'
import { refreshProviders, useKinds } from './use-providers.ts'

interface ProviderSettingsProps {
  provider: Provider
  refusal: string | false
}

export function ProviderSettings(props: ProviderSettingsProps) {
  const kinds = useKinds()
  const kind = kinds.data?.find(({ name }) => name === props.provider.kind)
  if (kind === undefined) return <Skeleton className="h-64 w-full" />
  return <SettingsForm {...props} kind={kind} />
}

function SettingsForm({ provider, refusal, kind }: ProviderSettingsProps & { kind: ProviderKindInfo }) {
  const configFields = fieldsOf(kind.config_schema, 'config')
  const secretFields = fieldsOf(kind.secrets_schema, 'secrets')
  const [opened, setOpened] = useState(() => ({
    config: draftOf(configFields, provider.config),
    delivery: deliveryDraft(provider),
  }))
  const [config, setConfig] = useState(opened.config)
  const [secrets, setSecrets] = useState<SchemaDraft>()
  const [delivery, changeDelivery] = useDraft(opened.delivery)
  const settingsOf = (draft: typeof opened) => ({
    config: valuesOf(configFields, draft.config),
    ...deliveryValues(draft.delivery),
  })
  const saving = useSave(async () => {
    await api.providers.update(provider.id, {
      ...changedValues(settingsOf(opened), settingsOf({ config, delivery })),
      ...(secrets && { secrets: valuesOf(secretFields, secrets) }),
    })
    setOpened({ config, delivery })
    setSecrets(undefined)
    await refreshProviders()
    toast(`${provider.name} is saved.`)
  }, [...DELIVERY_FIELDS, ...[...configFields, ...secretFields].map(({ path }) => path), 'secrets'])
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void saving.save(undefined)
      }}
    >
      {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <fieldset disabled={Boolean(refusal)} className="contents">
        {configFields.length > 0 && (
          <Card title="Account">
            <SchemaForm fields={configFields} draft={config} onChange={setConfig} errorOf={saving.errorOf} />
          </Card>
        )}
        {secretFields.length > 0 && (
          <Secrets
            fields={secretFields}
            set={provider.has_secrets}
            draft={secrets}
            onChange={setSecrets}
            errorOf={saving.errorOf}
          />
        )}
        <Card title="Delivery">
          <DeliverySettings draft={delivery} onChange={changeDelivery} errorOf={saving.errorOf} />
        </Card>
      </fieldset>
      <div>
        <Button type="submit" kind="primary" isBusy={saving.isBusy} refusal={refusal}>
          Save
        </Button>
      </div>
    </form>
  )
}

interface SecretsProps {
  fields: SchemaField[]
  set: string[]
  draft: SchemaDraft | undefined
  onChange(draft: SchemaDraft | undefined): void
  errorOf(path: string): string | undefined
}

function Secrets({ fields, set, draft, onChange, errorOf }: SecretsProps) {
  const inside = fields.some(({ path }) => errorOf(path) !== undefined)
  return (
    <Card
      title="Secrets"
      actions={
        draft ? (
          <Button size="small" kind="quiet" onClick={() => onChange(undefined)}>
            Keep the old ones
          </Button>
        ) : (
          <Button size="small" onClick={() => onChange(draftOf(fields, {}))}>
            Replace
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {!inside && errorOf('secrets') && <Notice tone="bad">{errorOf('secrets')}</Notice>}
        {draft ? (
          <>
            <p className="text-muted">Give all of them: what is left empty here is not set any more.</p>
            <SchemaForm fields={fields} draft={draft} onChange={onChange} errorOf={errorOf} />
          </>
        ) : (
          <ul className="flex flex-col gap-2">
            {fields.map(({ name, label }) => (
              <li key={name} className="flex items-center gap-2">
                {label}
                {set.includes(name) ? <Chip tone="ok">set</Chip> : <Chip>not set</Chip>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
