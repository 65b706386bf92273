/** What few change: filters, the shape of requests, retries. */
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { PairsInput } from '../../ui/pairs-input.tsx'
import { RadioList } from '../../ui/radio-list.tsx'
import { Chip } from '../../ui/status.tsx'
import type { WebhookDraft } from './webhook-draft.ts'
import type { WebhookFormProps } from './webhook-form.tsx'

const TWO = 'grid items-start gap-4 md:grid-cols-2'

export function FilterFields({ draft, onChange, errorOf }: WebhookFormProps) {
  const list = (name: 'notification_types' | 'categories' | 'event_kinds', label: string, help: string) => (
    <Field label={label} isOptional help={help} error={errorOf(name)}>
      <Input value={draft[name]} onChange={event => onChange({ [name]: event.target.value })} />
    </Field>
  )
  return (
    <div className={TWO}>
      {list(
        'notification_types',
        'Notification types',
        'Names with commas between them. If left empty: every type.',
      )}
      {list('categories', 'Categories', 'Names with commas between them. If left empty: every category.')}
      {list(
        'event_kinds',
        'Kinds of your events',
        'Only of event.emitted: names, or beginnings followed by *. If left empty: every kind.',
      )}
    </div>
  )
}

const ORDERINGS: { value: WebhookDraft['ordering']; label: string; help: string }[] = [
  { value: 'none', label: 'In any order', help: 'Fastest: nothing waits for anything else.' },
  {
    value: 'notification',
    label: 'In order per notification',
    help: 'One that is retried holds back the others of the same notification.',
  },
  {
    value: 'recipient',
    label: 'In order per recipient',
    help: 'One that is retried holds back the others of the same person.',
  },
  { value: 'endpoint', label: 'In order, all of them', help: 'One that is retried holds back everything.' },
]

export function ShapeFields(props: WebhookFormProps) {
  const { draft, onChange, errorOf } = props
  return (
    <>
      <RadioList
        label="Order"
        options={ORDERINGS}
        chosen={draft.ordering}
        onChange={ordering => onChange({ ordering })}
        error={errorOf('ordering')}
      />
      <Headers {...props} />
      <div className={TWO}>
        <Field
          label="Body"
          help={
            draft.payload_mode === 'thin' ? 'The rest can be read from the API.' : 'As it was at that moment.'
          }
          error={errorOf('payload_mode')}
        >
          <Select
            value={draft.payload_mode}
            onChange={event => onChange({ payload_mode: event.target.value as WebhookDraft['payload_mode'] })}
          >
            <option value="full">Everything</option>
            <option value="thin">Only ids</option>
          </Select>
        </Field>
        <Field label="Format" help="Both are signed in the same way." error={errorOf('format')}>
          <Select
            value={draft.format}
            onChange={event => onChange({ format: event.target.value as WebhookDraft['format'] })}
          >
            <option value="standard">Standard Webhooks</option>
            <option value="cloudevents">CloudEvents 1.0</option>
          </Select>
        </Field>
        <NumberField {...props} name="batch_size" label="Events in one request" help="At most 100." />
        <NumberField
          {...props}
          name="batch_seconds"
          label="Seconds to wait for more"
          help="How long events wait to be sent together."
        />
      </div>
    </>
  )
}

function Headers({ webhook, draft, onChange, errorOf }: WebhookFormProps) {
  return (
    <Field
      label="Headers"
      isOptional
      help="Sent with every request, such as authorization. Stored encrypted; only their names are shown."
      error={errorOf('headers')}
    >
      {draft.headers ? (
        <>
          <PairsInput
            label="Headers"
            pairs={draft.headers}
            isSecret
            onChange={headers => onChange({ headers })}
          />
          {webhook && (
            <div>
              <Button size="small" kind="quiet" onClick={() => onChange({ headers: undefined })}>
                Keep the old ones
              </Button>
            </div>
          )}
        </>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          {webhook?.headers.map(name => (
            <Chip key={name}>{name}</Chip>
          ))}
          <Button
            size="small"
            onClick={() => onChange({ headers: (webhook?.headers ?? []).map(name => [name, '']) })}
          >
            {webhook?.headers.length ? 'Replace' : 'Add'}
          </Button>
        </div>
      )}
    </Field>
  )
}

export function DeliveryFields(props: WebhookFormProps) {
  const { draft, onChange, errorOf } = props
  return (
    <div className={TWO}>
      <NumberField {...props} name="retry_count" label="Retries" help="Attempts after the first, up to 50." />
      <Field label="Waits" help="How they grow from one to the next." error={errorOf('backoff')}>
        <Select
          value={draft.backoff}
          onChange={event => onChange({ backoff: event.target.value as WebhookDraft['backoff'] })}
        >
          <option value="exponential">Twice as long each time</option>
          <option value="linear">Longer by the same each time</option>
          <option value="constant">Always the same</option>
        </Select>
      </Field>
      <NumberField {...props} name="retry_base_seconds" field="retry_base_ms" label="First wait in seconds" />
      <NumberField {...props} name="retry_cap_seconds" field="retry_cap_ms" label="Longest wait in seconds" />
      <NumberField
        {...props}
        name="timeout_seconds"
        label="Seconds to wait for an answer"
        help="From 1 to 60."
      />
      <NumberField
        {...props}
        name="rate_limit"
        label="Requests a minute"
        help="More than that wait. If left empty: no limit."
      />
      <NumberField
        {...props}
        name="disable_after"
        label="Disable after failures in a row"
        help="Deliveries that failed for good. If left empty: never."
      />
    </div>
  )
}

type NumberName =
  | 'batch_size'
  | 'batch_seconds'
  | 'retry_count'
  | 'retry_base_seconds'
  | 'retry_cap_seconds'
  | 'timeout_seconds'
  | 'rate_limit'
  | 'disable_after'

interface NumberFieldProps extends WebhookFormProps {
  name: NumberName
  /** Its name in the API, if another one. */
  field?: string
  label: string
  help?: string
}

function NumberField({ name, field = name, label, help, draft, onChange, errorOf }: NumberFieldProps) {
  return (
    <Field label={label} help={help} error={errorOf(field)}>
      <Input
        type="number"
        min={0}
        value={draft[name]}
        onChange={event => onChange({ [name]: event.target.value })}
      />
    </Field>
  )
}
