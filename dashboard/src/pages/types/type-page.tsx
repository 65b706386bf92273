/** One type: all its rules as a form, and what uses it. */
import type { NotificationType, NotificationTypeInput } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CHANNELS } from '../../ui/channel.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Chip } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useSave } from '../../ui/use-save.ts'
import { TypeAside } from './type-aside.tsx'
import { TypeForm } from './type-form.tsx'

export type TypeValues = Omit<NotificationType, 'name' | 'created_at' | 'updated_at'>

export default function TypePage() {
  const { name = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({
    queryKey: ['notification-types', name],
    queryFn: ({ signal }) => api.notificationTypes.get(name, { signal }),
  })
  if (data) return <TypeEditor key={name} type={data} />
  if (!error) return <PageSkeleton />
  return (
    <Page title={name}>
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
      </Card>
    </Page>
  )
}

function TypeEditor({ type }: { type: NotificationType }) {
  const { name, created_at: _created, updated_at: _updated, ...stored } = type
  const may = useMay('types:write')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const form = useForm<TypeValues>(stored)
  const saving = useSave(async () => {
    const after = await api.notificationTypes.put(name, form.value as NotificationTypeInput)
    queryClient.setQueryData(['notification-types', name], after)
    await queryClient.invalidateQueries({ queryKey: ['notification-types'] })
    toast(`${name} is saved. It applies to new notifications.`)
  }, FIELDS)
  const refusal = !may && 'You need types:write: ask an owner.'
  return (
    <Page
      title={name}
      about={
        <>
          {type.category && <Chip>{type.category}</Chip>}
          {type.critical && <Chip tone="warn">critical</Chip>}
        </>
      }
      lead={type.description}
      actions={
        <>
          <Button kind="danger" onClick={() => setDeleting(true)} refusal={refusal}>
            Delete
          </Button>
          <LinkButton to="/activity" search={{ notification_type: name } as never}>
            Activity
          </LinkButton>
          <LinkButton to="/send" search={{ type: name } as never} kind="primary">
            Send a test
          </LinkButton>
        </>
      }
    >
      <Columns
        main={
          <Tabs
            label="Type"
            tabs={[
              {
                value: 'rules',
                title: 'Rules',
                content: <TypeForm name={name} form={form} errorOf={saving.errorOf} isReadOnly={!may} />,
              },
              {
                value: 'json',
                title: 'JSON',
                content: (
                  <Card>
                    <JsonView value={type} />
                  </Card>
                ),
              },
            ]}
          />
        }
        aside={<TypeAside type={type} />}
      />
      <SaveBar
        name={name}
        isChanged={form.isChanged}
        isBusy={saving.isBusy}
        problem={
          saving.problem ??
          (FIELDS.some(field => saving.errorOf(field)) ? 'Something is wrong in the form.' : undefined)
        }
        onSave={() => saving.save(undefined)}
        onDiscard={() => {
          saving.clear()
          form.discard()
        }}
      />
      <Confirm
        title={`Delete the type ${name}?`}
        action="Delete"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.notificationTypes.delete(name)
          toast(`${name} is no longer in the catalog.`)
          await navigate({ to: '/types', ignoreBlocker: true })
          await queryClient.invalidateQueries({ queryKey: ['notification-types'] })
        }}
      >
        Its rules go. What was accepted is still sent; new intents of this type are refused, or accepted with
        a warning if the settings allow unknown types. Its templates stay.
      </Confirm>
    </Page>
  )
}

const LISTS = ['producers', 'audience_kinds', 'required_fields', 'admin_emails', 'channels']
/** Where the form shows an error, in the API's own names. */
const FIELDS: string[] = [
  'description',
  'category',
  'critical',
  'delay',
  'retry_base_ms',
  'retry_cap_ms',
  ...LISTS.flatMap(list => [list, ...Array.from({ length: 50 }, (_, i) => `${list}.${i}`)]),
  ...['max_attempts', 'providers', 'templates'].flatMap(field =>
    CHANNELS.map(channel => `${field}.${channel}`),
  ),
  ...['per', 'key', 'max'].map(field => `throttle.${field}`),
  ...['window', 'key', 'first_at_once', 'max_items'].map(field => `digest.${field}`),
  ...CHANNELS.flatMap((_, i) => ['channel', 'after', 'unless'].map(field => `escalate.${i}.${field}`)),
]
