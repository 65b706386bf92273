/** Where events go, which, and how. */
import type { Webhook } from '@carillon/contract'
import { CheckList } from '../../ui/check-list.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Card } from '../../ui/page.tsx'
import { DeliveryFields, FilterFields, ShapeFields } from './webhook-details.tsx'
import type { WebhookDraft } from './webhook-draft.ts'
import { EVENT_GROUPS } from './webhook-events.ts'

export interface WebhookFormProps {
  /** The one that is changed, if it exists already. */
  webhook?: Webhook
  draft: WebhookDraft
  onChange(changes: Partial<WebhookDraft>): void
  errorOf(field: string): string | undefined
}

export function WebhookForm(props: WebhookFormProps) {
  const { draft, onChange, errorOf } = props
  const isAny = (...fields: string[]) => fields.some(field => errorOf(field) !== undefined)
  return (
    <>
      <Card title="Endpoint">
        <div className="grid items-start gap-4 md:grid-cols-2">
          <Field
            label="Address"
            className="md:col-span-2"
            help="Events are posted here. stream:nats and stream:redis publish them to the operator’s broker instead."
            error={errorOf('url')}
          >
            <Input
              type="url"
              placeholder="https://example.com/hooks"
              value={draft.url}
              onChange={event => onChange({ url: event.target.value })}
            />
          </Field>
          <Field
            label="Description"
            isOptional
            className="md:col-span-2"
            help="Whose it is and what for."
            error={errorOf('description')}
          >
            <Input
              value={draft.description}
              onChange={event => onChange({ description: event.target.value })}
            />
          </Field>
        </div>
      </Card>
      <Card>
        <CheckList
          label="Events"
          groups={EVENT_GROUPS}
          chosen={draft.events}
          onChange={events => onChange({ events })}
          error={errorOf('events')}
        />
      </Card>
      <Fold
        title="Filters"
        summary="Only some types, categories or kinds"
        isOpen={isAny('notification_types', 'categories', 'event_kinds')}
      >
        <FilterFields {...props} />
      </Fold>
      <Fold
        title="Requests"
        summary="Order, headers, format, batches"
        isOpen={isAny('ordering', 'headers', 'payload_mode', 'format', 'batch_size', 'batch_seconds')}
      >
        <ShapeFields {...props} />
      </Fold>
      <Fold
        title="Retries and limits"
        summary={`${draft.retry_count || 0} retries, ${draft.rate_limit ? `${draft.rate_limit} a minute` : 'no rate limit'}`}
        isOpen={isAny(
          'retry_count',
          'backoff',
          'retry_base_ms',
          'retry_cap_ms',
          'disable_after',
          'rate_limit',
        )}
      >
        <DeliveryFields {...props} />
      </Fold>
    </>
  )
}
