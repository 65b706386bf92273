/** One delivery: the body as it was sent, and every attempt with its answer. */
import type { WebhookAttempt, WebhookDeliveryDetail } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Facts } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'
import { type Moment, Timeline } from '../../ui/timeline.tsx'
import { redeliver } from './redeliver.ts'

interface DeliverySheetProps {
  webhookId: string
  deliveryId: string | undefined
  onClose(): void
}

export function DeliverySheet({ webhookId, deliveryId, onClose }: DeliverySheetProps) {
  const mayResend = useMay('webhook_deliveries:write')
  const { data, error } = useQuery({
    queryKey: ['webhooks', webhookId, 'delivery', deliveryId],
    queryFn: ({ signal }) => api.webhooks.delivery(webhookId, deliveryId!, { signal }),
    enabled: deliveryId !== undefined,
    ...LIVE,
  })
  return (
    <Dialog
      title={data?.event_type ?? 'Delivery'}
      isSheet
      isOpen={deliveryId !== undefined}
      onClose={onClose}
      footer={
        <Button
          kind="primary"
          disabled={data === undefined}
          refusal={!mayResend && 'You need webhook_deliveries:write: ask an owner'}
          onClick={() => redeliver({ id: deliveryId!, webhook_id: webhookId })}
        >
          Send again
        </Button>
      }
    >
      {error ? (
        <Problem error={error} />
      ) : data ? (
        <DeliveryView delivery={data} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  )
}

export function DeliveryView({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const { status, attempts, notification_id, next_retry_at } = delivery
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Facts
        facts={[
          ['Status', <Status key="status" status={status} />],
          ['Webhook-id', <Id key="event" value={delivery.event_id} />],
          ['Delivery', <Id key="id" value={delivery.id} />],
          notification_id !== null && [
            'Notification',
            <Link
              key="notification"
              to={`/activity/${notification_id}`}
              className="font-mono text-code break-all text-accent hover:underline"
            >
              {notification_id}
            </Link>,
          ],
          delivery.redelivery_of !== null && ['Again', <Id key="of" value={delivery.redelivery_of} />],
          ['Created', <Time key="created" value={delivery.created_at} />],
          next_retry_at !== null && ['Next attempt', <Time key="next" value={next_retry_at} />],
        ]}
      />
      <section className="flex flex-col gap-2">
        <h3 className="text-lg">Attempts</h3>
        {attempts.length === 0 ? (
          <p className="text-muted">
            {status === 'failed'
              ? 'None: it happened while the webhook was switched off or disabled, and was kept.'
              : 'None yet.'}
          </p>
        ) : (
          <Timeline label="Attempts" moments={attempts.map(momentOf)} />
        )}
      </section>
      <section className="flex min-w-0 flex-col gap-2">
        <h3 className="text-lg">Body</h3>
        <JsonView value={delivery.payload} />
      </section>
    </div>
  )
}

function momentOf({ started_at, status, error, duration_ms, response_body }: WebhookAttempt): Moment {
  return {
    at: started_at,
    tone: error === '' ? 'ok' : 'bad',
    text: (
      <>
        {status === null ? 'No answer' : `Answered ${status}`}{' '}
        <span className="text-muted">after {sayDuration(duration_ms)}</span>
        {error && <span className="block text-bad">{error}</span>}
      </>
    ),
    ...(response_body !== '' && { detail: <JsonView value={response_body} /> }),
  }
}
