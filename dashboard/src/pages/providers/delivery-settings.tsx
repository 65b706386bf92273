/** What every provider has: its place in the order, its limits, and what to do when no answer comes. */
import type { Provider } from '@carillon/contract'
import { Field, Input } from '../../ui/field.tsx'
import { numberOf, numberText } from '../../ui/number-text.ts'
import { RadioList } from '../../ui/radio-list.tsx'
import { UNCERTAIN_POLICIES } from './provider-words.ts'

export interface DeliveryDraft {
  priority: string
  rate_limit: string
  timeout_seconds: string
  uncertain_policy: Provider['uncertain_policy']
}

export const DELIVERY_FIELDS = ['priority', 'rate_limit', 'timeout_seconds', 'uncertain_policy']

export const deliveryDraft = (provider?: Provider): DeliveryDraft => ({
  priority: numberText(provider?.priority ?? 0),
  rate_limit: numberText(provider?.rate_limit),
  timeout_seconds: numberText(provider?.timeout_seconds ?? 30),
  uncertain_policy: provider?.uncertain_policy ?? 'resend',
})

export const deliveryValues = (draft: DeliveryDraft) => ({
  priority: numberOf(draft.priority) ?? 0,
  rate_limit: numberOf(draft.rate_limit),
  timeout_seconds: numberOf(draft.timeout_seconds) ?? 30,
  uncertain_policy: draft.uncertain_policy,
})

interface DeliverySettingsProps {
  draft: DeliveryDraft
  onChange(changes: Partial<DeliveryDraft>): void
  errorOf(field: string): string | undefined
}

export function DeliverySettings({ draft, onChange, errorOf }: DeliverySettingsProps) {
  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 md:grid-cols-3">
        <Field
          label="Priority"
          help="The highest of a channel is tried first, the next one when it fails."
          error={errorOf('priority')}
        >
          <Input
            type="number"
            value={draft.priority}
            onChange={event => onChange({ priority: event.target.value })}
          />
        </Field>
        <Field
          label="Messages a minute"
          isOptional
          help="More than that wait. If left empty: as fast as it goes."
          error={errorOf('rate_limit')}
        >
          <Input
            type="number"
            min={1}
            placeholder="No limit"
            value={draft.rate_limit}
            onChange={event => onChange({ rate_limit: event.target.value })}
          />
        </Field>
        <Field
          label="Seconds to wait for an answer"
          help="From 1 to 60. One that hangs delays what is behind it."
          error={errorOf('timeout_seconds')}
        >
          <Input
            type="number"
            min={1}
            max={60}
            value={draft.timeout_seconds}
            onChange={event => onChange({ timeout_seconds: event.target.value })}
          />
        </Field>
      </div>
      <RadioList
        label="When a message was handed over and no answer came"
        options={Object.entries(UNCERTAIN_POLICIES).map(([value, words]) => ({
          value: value as Provider['uncertain_policy'],
          ...words,
        }))}
        chosen={draft.uncertain_policy}
        onChange={uncertain_policy => onChange({ uncertain_policy })}
        error={errorOf('uncertain_policy')}
      />
    </div>
  )
}
