/** What has to happen, which script runs then, and how often it is tried. */
import type { TriggerKind } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Card } from '../../ui/page.tsx'
import { KindFields } from './kind-fields.tsx'
import type { TriggerDraft } from './trigger-draft.ts'
import { TRIGGER_KINDS } from './trigger-words.ts'

export interface TriggerFormProps {
  kind: TriggerKind
  draft: TriggerDraft
  onChange(changes: Partial<TriggerDraft>): void
  errorOf(field: string): string | undefined
}

export function TriggerForm(props: TriggerFormProps) {
  const { kind, draft, onChange, errorOf } = props
  return (
    <>
      <Card title={TRIGGER_KINDS[kind].title}>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <Field label="Name" help="What you call it." error={errorOf('name')}>
            <Input
              value={draft.name}
              autoComplete="off"
              onChange={event => onChange({ name: event.target.value })}
            />
          </Field>
          <ScriptField {...props} />
          <KindFields {...props} />
        </div>
      </Card>
      <RetryFields {...props} />
    </>
  )
}

function ScriptField({ draft, onChange, errorOf }: TriggerFormProps) {
  const { data } = useQuery({
    queryKey: ['scripts', 'choices'],
    queryFn: ({ signal }) => api.scripts.list({ limit: 100 }, { signal }),
  })
  const isNone = data?.data.length === 0
  return (
    <Field
      label="Script"
      error={errorOf('script_id')}
      help={
        isNone ? (
          <>
            There is none yet:{' '}
            <Link to="/scripts/new" className="text-accent hover:underline">
              write one
            </Link>{' '}
            first.
          </>
        ) : (
          'What runs.'
        )
      }
    >
      <Select value={draft.script_id} onChange={event => onChange({ script_id: event.target.value })}>
        <option value="">Choose a script</option>
        {data?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  )
}

function RetryFields({ draft, onChange, errorOf }: TriggerFormProps) {
  return (
    <Fold
      title="Retries"
      summary={draft.max_attempts ? `Up to ${draft.max_attempts} attempts` : 'As the tenant has it'}
      isOpen={['retry.max_attempts', 'retry.backoff', 'retry.base_ms'].some(field => errorOf(field))}
    >
      <div className="grid items-start gap-4 md:grid-cols-3">
        <Field
          label="Attempts"
          help="A run that fails this often becomes a dead letter."
          error={errorOf('retry.max_attempts')}
        >
          <Input
            type="number"
            min={1}
            max={50}
            placeholder="As the tenant has it"
            value={draft.max_attempts}
            onChange={event => onChange({ max_attempts: event.target.value })}
          />
        </Field>
        <Field label="Waits" help="How they grow." error={errorOf('retry.backoff')}>
          <Select
            value={draft.backoff}
            onChange={event => onChange({ backoff: event.target.value as TriggerDraft['backoff'] })}
          >
            <option value="">As the tenant has it</option>
            <option value="exponential">Twice as long each time</option>
            <option value="linear">Longer by the same each time</option>
            <option value="constant">Always the same</option>
          </Select>
        </Field>
        <Field label="First wait in seconds" error={errorOf('retry.base_ms')}>
          <Input
            type="number"
            min={0}
            step="any"
            placeholder="As the tenant has it"
            value={draft.base_seconds}
            onChange={event => onChange({ base_seconds: event.target.value })}
          />
        </Field>
      </div>
    </Fold>
  )
}
