/** One trigger: what it ran, and its settings. */
import type { Trigger } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/field.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toasts.tsx'
import { RunsCard } from '../scripts/runs-card.tsx'
import { TriggerAside } from './trigger-aside.tsx'
import { refreshTriggers, switchTrigger } from './trigger-changes.ts'
import { TriggerSettings } from './trigger-settings.tsx'
import { sayHint, sayWhen, TRIGGER_KINDS } from './trigger-words.ts'

export default function TriggerPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['triggers', id],
    queryFn: ({ signal }) => api.triggers.get(id, { signal }),
    ...LIVE,
  })
  if (error && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />
  return data === undefined ? <PageSkeleton /> : <TriggerView trigger={data} />
}

function TriggerView({ trigger }: { trigger: Trigger }) {
  const { id, name, kind, is_enabled } = trigger
  const mayWrite = useMay('triggers:write')
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page
      title={name}
      about={
        <>
          {is_enabled ? (
            <Status status="active" label="On" />
          ) : (
            <Status status="inactive" label="Switched off" />
          )}
          <Id value={id} />
        </>
      }
      lead={`${TRIGGER_KINDS[kind].title}: ${sayWhen(trigger)}`}
      actions={
        <>
          <Switch
            label={is_enabled ? 'On' : 'Off'}
            showsLabel
            isOn={is_enabled}
            disabled={!mayWrite}
            onChange={isOn => void switchTrigger(trigger, isOn)}
          />
          <Button
            kind="danger"
            refusal={!mayWrite && 'You need triggers:write: ask an owner'}
            onClick={() => setDeleting(true)}
          >
            Delete
          </Button>
        </>
      }
    >
      <Columns
        main={
          <Tabs
            label="About this trigger"
            tabs={[
              {
                value: 'runs',
                title: 'Runs',
                content: <RunsCard of={{ trigger_id: id }} hint={sayHint(trigger)} />,
              },
              {
                value: 'settings',
                title: 'Settings',
                content: <TriggerSettings key={id} trigger={trigger} />,
              },
              {
                value: 'json',
                title: 'JSON',
                content: (
                  <Card>
                    <JsonView value={trigger} />
                  </Card>
                ),
              },
            ]}
          />
        }
        aside={<TriggerAside trigger={trigger} />}
      />
      <Confirm
        title={`Delete the trigger ${name}?`}
        action="Delete"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.triggers.delete(id)
          toast(`${name} was deleted.`)
          await navigate({ to: '/triggers' })
          await refreshTriggers()
        }}
      >
        Its script does not run for it any more
        {kind === 'http' && ', and its address answers 404'}. The script itself and past runs stay. To stop it
        for a while only, switch it off.
      </Confirm>
    </Page>
  )
}
