/** One provider: how it stands, what went through it, and its settings. */
import type { Provider } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Send } from 'lucide-react'
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
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toasts.tsx'
import { BreakerNotice } from './breaker-notice.tsx'
import { ProviderAside } from './provider-aside.tsx'
import { ProviderLetters, ProviderMessages } from './provider-messages.tsx'
import { ProviderSettings } from './provider-settings.tsx'
import { ProviderStatus } from './provider-status.tsx'
import { TestDialog } from './test-dialog.tsx'
import { refreshProviders, switchProvider } from './use-providers.ts'

export default function ProviderPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['providers', id],
    queryFn: ({ signal }) => api.providers.get(id, { signal }),
    ...LIVE,
  })
  if (error && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />
  return data === undefined ? <PageSkeleton /> : <ProviderView provider={data} />
}

function ProviderView({ provider }: { provider: Provider }) {
  const { id, name, source, is_active } = provider
  const mayWrite = useMay('providers:write')
  const [asks, setAsks] = useState<'test' | 'delete'>()
  const navigate = useNavigate()
  const isFixed = source === 'environment'
  const refusal = isFixed
    ? 'It is set up in the environment of the server and can only be changed there'
    : !mayWrite && 'You need providers:write: ask an owner'
  return (
    <Page
      title={name}
      about={
        <>
          <ProviderStatus provider={provider} />
          <Id value={id} />
        </>
      }
      actions={
        <>
          <Switch
            label={is_active ? 'On' : 'Off'}
            showsLabel
            isOn={is_active}
            disabled={Boolean(refusal)}
            onChange={isOn => void switchProvider(provider, isOn)}
          />
          <Button kind="danger" refusal={refusal} onClick={() => setAsks('delete')}>
            Delete
          </Button>
          <Button
            kind="primary"
            refusal={
              mayWrite
                ? !is_active && 'Switch it on first: a test goes the same way as a message'
                : 'You need providers:write: ask an owner'
            }
            onClick={() => setAsks('test')}
          >
            <Send size={14} aria-hidden="true" />
            Send a test
          </Button>
        </>
      }
    >
      <BreakerNotice provider={provider} />
      <Columns
        main={
          <Tabs
            label="About this provider"
            tabs={[
              { value: 'messages', title: 'Messages', content: <ProviderMessages provider={provider} /> },
              { value: 'dead', title: 'Dead letters', content: <ProviderLetters provider={provider} /> },
              {
                value: 'settings',
                title: 'Settings',
                content: <ProviderSettings key={id} provider={provider} refusal={refusal} />,
              },
              {
                value: 'json',
                title: 'JSON',
                content: (
                  <Card>
                    <JsonView value={provider} />
                  </Card>
                ),
              },
            ]}
          />
        }
        aside={<ProviderAside provider={provider} />}
      />
      <TestDialog provider={provider} isOpen={asks === 'test'} onClose={() => setAsks(undefined)} />
      <Confirm
        title={`Delete the provider ${name}?`}
        action="Delete"
        isOpen={asks === 'delete'}
        onClose={() => setAsks(undefined)}
        onConfirm={async () => {
          await api.providers.delete(id)
          toast(`${name} was deleted.`)
          await navigate({ to: '/providers' })
          await refreshProviders()
        }}
      >
        Its account and secrets are forgotten. Messages go to the next provider of the channel; if it was the
        last one, to the server’s own, if it has one. What was sent through it stays in the records.
      </Confirm>
    </Page>
  )
}
