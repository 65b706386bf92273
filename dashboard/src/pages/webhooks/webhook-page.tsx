/** One webhook: what was delivered to it, and everything that can be done about what was not. */
import type { Webhook } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { Id } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookAside } from './webhook-aside.tsx'
import { WebhookSettings } from './webhook-settings.tsx'
import { WebhookNotice, WebhookStatus } from './webhook-state.tsx'

export default function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => api.webhooks.get(id, { signal }),
    ...LIVE,
  })
  if (error && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />
  return data === undefined ? <PageSkeleton /> : <WebhookView webhook={data} />
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  return (
    <Page
      title={webhook.description || hostOf(webhook.url)}
      about={
        <>
          <WebhookStatus webhook={webhook} />
          <Id value={webhook.id} />
        </>
      }
      lead={<span className="break-all">{webhook.url}</span>}
      actions={<WebhookActions webhook={webhook} />}
    >
      <WebhookNotice webhook={webhook} />
      <Columns
        main={
          <Tabs
            label="About this webhook"
            tabs={[
              { value: 'deliveries', title: 'Deliveries', content: <Deliveries webhook={webhook} /> },
              {
                value: 'settings',
                title: 'Settings',
                content: <WebhookSettings key={webhook.id} webhook={webhook} />,
              },
              {
                value: 'json',
                title: 'JSON',
                content: (
                  <Card>
                    <JsonView value={webhook} />
                  </Card>
                ),
              },
            ]}
          />
        }
        aside={<WebhookAside webhook={webhook} />}
      />
    </Page>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host || url : url)
