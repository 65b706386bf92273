/** Name, colour and footer of every mail and page, with a mail to look at while they change. */
import type { Branding } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useMay, useSession } from '../../app/session.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useSave } from '../../ui/use-save.ts'
import { BrandPreview } from './brand-preview.tsx'

export type Brand = Omit<Branding, 'updated_at'>

const FIELDS = ['name', 'logo_url', 'website_url', 'primary_color', 'footer']

export function BrandTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ['branding'],
    queryFn: ({ signal }) => api.branding.get({ signal }),
  })
  if (data) return <BrandForm branding={data} />
  return error ? (
    <Problem error={error} onRetry={() => void refetch()} />
  ) : (
    <Skeleton className="h-96 w-full" />
  )
}

function BrandForm({ branding: { updated_at: _updated, ...stored } }: { branding: Branding }) {
  const may = useMay('templates:write')
  const { tenant } = useSession()
  const queryClient = useQueryClient()
  const form = useForm<Brand>(stored)
  const { value, change } = form
  const saving = useSave(async () => {
    const after = await api.branding.update({ ...value, name: value.name.trim() || null })
    queryClient.setQueryData(['branding'], after)
    toast('The brand is saved. Every message has it within a second.')
  }, FIELDS)
  return (
    <>
      {!may && (
        <Notice tone="info">You may look, but not change anything: that needs templates:write.</Notice>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Brand">
          <div className="flex flex-col gap-4">
            <Field
              label="Name"
              error={saving.errorOf('name')}
              help="The sender’s name. If left empty: the name of the tenant."
            >
              <Input
                maxLength={100}
                placeholder={tenant.name}
                readOnly={!may}
                value={value.name}
                onChange={event => change({ name: event.target.value })}
              />
            </Field>
            <Field
              label="Colour"
              error={saving.errorOf('primary_color')}
              help="Of buttons and links. Where it would be hard to read, a darker or lighter shade is used."
            >
              <div className="flex items-center gap-2">
                <input
                  type="color"
                  aria-label="Choose a colour"
                  disabled={!may}
                  value={/^#[0-9a-f]{6}$/i.test(value.primary_color) ? value.primary_color : '#000000'}
                  onChange={event => change({ primary_color: event.target.value })}
                  className="h-8 w-10 shrink-0 rounded-control border border-control bg-surface p-0.5"
                />
                <Input
                  maxLength={7}
                  spellCheck={false}
                  readOnly={!may}
                  className="max-w-32 font-mono text-code"
                  value={value.primary_color}
                  onChange={event => change({ primary_color: event.target.value })}
                />
              </div>
            </Field>
            <Field
              label="Logo"
              isOptional
              error={saving.errorOf('logo_url')}
              help="Address of a picture, 36 pixels high in mails. Previews here load nothing from elsewhere."
            >
              <Input
                type="url"
                placeholder="https://example.com/logo.png"
                readOnly={!may}
                value={value.logo_url ?? ''}
                onChange={event => change({ logo_url: event.target.value || null })}
              />
            </Field>
            <Field
              label="Website"
              isOptional
              error={saving.errorOf('website_url')}
              help="Where the name and the logo lead."
            >
              <Input
                type="url"
                placeholder="https://example.com"
                readOnly={!may}
                value={value.website_url ?? ''}
                onChange={event => change({ website_url: event.target.value || null })}
              />
            </Field>
            <Field
              label="Footer"
              isOptional
              error={saving.errorOf('footer')}
              help="Below every mail: postal address, why it was sent."
            >
              <Textarea
                rows={4}
                maxLength={2000}
                readOnly={!may}
                value={value.footer}
                onChange={event => change({ footer: event.target.value })}
              />
            </Field>
          </div>
        </Card>
        {may && <BrandPreview brand={{ ...value, name: value.name.trim() || tenant.name }} />}
      </div>
      <SaveBar
        name="the brand"
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
