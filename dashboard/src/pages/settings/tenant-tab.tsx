/** The settings of the tenant; only what was changed is sent. */
import type { Tenant, TenantSettings } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Id } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useSave } from '../../ui/use-save.ts'
import { SettingField } from './setting-field.tsx'
import { SECTIONS, SETTINGS, type SettingName } from './tenant-settings.ts'

type Values = Required<TenantSettings>

export function TenantTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ['tenant'],
    queryFn: ({ signal }) => api.tenant.get({ signal }),
  })
  if (data) return <TenantForm tenant={data} />
  return error ? (
    <Problem error={error} onRetry={() => void refetch()} />
  ) : (
    <Skeleton className="h-96 w-full" />
  )
}

function TenantForm({ tenant }: { tenant: Tenant }) {
  const may = useMay('tenant:write')
  const queryClient = useQueryClient()
  const stored = Object.fromEntries(SETTINGS.map(name => [name, tenant[name]])) as Values
  const form = useForm<Values>(stored)
  const saving = useSave(async () => {
    const changed = SETTINGS.filter(name => JSON.stringify(form.value[name]) !== JSON.stringify(stored[name]))
    const changes = Object.fromEntries(changed.map(name => [name, form.value[name]]))
    queryClient.setQueryData(['tenant'], await api.tenant.update(changes))
    toast('The settings are saved.')
  }, SETTINGS)
  return (
    <>
      {tenant.suspended_at && (
        <Notice tone="bad">
          This tenant is suspended: its keys do not work, and what waits is not sent.{' '}
          {tenant.suspension_reason}
        </Notice>
      )}
      {!may && <Notice tone="info">You may look, but not change anything: that needs tenant:write.</Notice>}
      <Card isFlush>
        <Section title={tenant.name} about="What the operator of this Carillon allows the tenant as a whole.">
          <Quota tenant={tenant} />
        </Section>
        {SECTIONS.map(({ title, about, isDense = false, fields }) => (
          <Section key={title} title={title} about={about} isDense={isDense}>
            {fields.map(field => (
              <SettingField
                key={field.name}
                field={field}
                value={form.value[field.name]}
                onChange={value => form.change({ [field.name as SettingName]: value })}
                error={saving.errorOf(field.name)}
                isReadOnly={!may}
              />
            ))}
          </Section>
        ))}
      </Card>
      <SaveBar
        name="the settings"
        isInTab
        isChanged={form.isChanged}
        isBusy={saving.isBusy}
        problem={
          saving.problem ??
          (SETTINGS.some(name => saving.errorOf(name)) ? 'Something is wrong in the form.' : undefined)
        }
        onSave={() => saving.save(undefined)}
        onDiscard={() => {
          saving.clear()
          form.discard()
        }}
      />
    </>
  )
}

function Quota({ tenant: { id, quota, storage_bytes, created_at } }: { tenant: Tenant }) {
  const say = (value: number | null, unit: string) =>
    value === null ? 'No limit' : `${value.toLocaleString('en')} ${unit}`
  const used =
    storage_bytes === null
      ? ''
      : ` (${(storage_bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB used)`
  return (
    <Facts
      facts={[
        ['Id', <Id key="id" value={id} />],
        ['Requests', say(quota.requests_per_minute, 'per minute')],
        ['Messages', say(quota.routes_per_day, 'per day')],
        ['Storage', say(quota.storage_mb, 'MB') + used],
        ['Created', <Time key="created" value={created_at} />],
      ]}
    />
  )
}
