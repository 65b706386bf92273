/** All rules of a type, grouped as one thinks of them. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { AUDIENCE_KINDS, AUDIENCE_NAMES } from '../../ui/audience.ts'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { CheckRow } from '../../ui/check-row.tsx'
import { ChipsInput } from '../../ui/chips-input.tsx'
import { DurationInput } from '../../ui/duration-input.tsx'
import { Field, Input, Switch, Textarea } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import type { Form } from '../../ui/use-form.ts'
import { EscalationFields } from './escalation-fields.tsx'
import { PerChannel } from './per-channel.tsx'
import type { TypeValues } from './type-page.tsx'
import { DigestFields, ThrottleFields } from './waiting-fields.tsx'

export interface TypeFormProps {
  name: string
  form: Form<TypeValues>
  errorOf(field: string): string | undefined
  isReadOnly: boolean
}

export function TypeForm({ name, form, errorOf, isReadOnly }: TypeFormProps) {
  const { value, change } = form
  const categories = useQuery({
    queryKey: ['categories'],
    queryFn: ({ signal }) => api.categories.list({ signal }),
  })
  /** Of a list, the error of the list or of the first wrong one in it. */
  const errorIn = (list: string, length: number) =>
    errorOf(list) ?? Array.from({ length }, (_, i) => errorOf(`${list}.${i}`)).find(Boolean)
  return (
    <Card isFlush>
      <Section title="What it is">
        <Field label="Description" isOptional error={errorOf('description')}>
          <Textarea
            rows={2}
            maxLength={1000}
            readOnly={isReadOnly}
            value={value.description}
            onChange={event => change({ description: event.target.value })}
          />
        </Field>
        <Field
          label="Category"
          isOptional
          error={errorOf('category')}
          help="What people switch off together on their preference page. If left empty: none."
        >
          <Input
            list="type-categories"
            maxLength={50}
            className="max-w-64"
            readOnly={isReadOnly}
            value={value.category}
            onChange={event => change({ category: event.target.value })}
          />
          <datalist id="type-categories">
            {categories.data?.data.map(({ category }) => (
              <option key={category} value={category} />
            ))}
          </datalist>
        </Field>
        <Field
          label="Critical"
          error={errorOf('critical')}
          help="Ignores quiet hours and caps, but not what a person switched off."
        >
          <Switch
            label="Critical"
            disabled={isReadOnly}
            isOn={value.critical}
            onChange={critical => change({ critical })}
          />
        </Field>
      </Section>
      <Section title="Who sends it, and to whom" about="What an intent must be like. Others are refused.">
        <Field
          label="Producers"
          error={errorIn('producers', value.producers.length)}
          help="Who may send it, by the name of their key. If left empty: everybody."
        >
          <ChipsInput
            disabled={isReadOnly}
            placeholder="Everybody"
            value={value.producers}
            onChange={producers => change({ producers })}
          />
        </Field>
        <Field
          label="Audiences"
          error={errorIn('audience_kinds', value.audience_kinds.length)}
          help="None chosen: every kind."
        >
          <CheckRow
            label="Audiences"
            disabled={isReadOnly}
            options={AUDIENCE_KINDS}
            labels={AUDIENCE_NAMES}
            value={value.audience_kinds}
            onChange={audience_kinds => change({ audience_kinds })}
          />
        </Field>
        <Field
          label="Addresses of admins"
          isOptional
          error={errorIn('admin_emails', value.admin_emails.length)}
          help="Who gets it when the audience is admin_email."
        >
          <ChipsInput
            disabled={isReadOnly}
            placeholder="ops@example.com"
            value={value.admin_emails}
            onChange={admin_emails => change({ admin_emails })}
          />
        </Field>
        <Field
          label="Required fields"
          error={errorIn('required_fields', value.required_fields.length)}
          help="What the payload must have."
        >
          <ChipsInput
            disabled={isReadOnly}
            placeholder="None"
            value={value.required_fields}
            onChange={required_fields => change({ required_fields })}
          />
        </Field>
      </Section>
      <Section title="Channels" about="Where it goes out at once, and where later if nobody has read it.">
        <Field label="At once" error={errorIn('channels', value.channels.length)}>
          <CheckRow
            label="Channels"
            disabled={isReadOnly}
            options={CHANNELS}
            labels={CHANNEL_NAMES}
            value={value.channels}
            onChange={channels => change({ channels })}
          />
        </Field>
        <EscalationFields
          value={value.escalate}
          used={value.channels}
          onChange={escalate => change({ escalate })}
          errorOf={errorOf}
          isReadOnly={isReadOnly}
        />
      </Section>
      <Section title="Waiting" about="When a notification is held back, gathered or left out.">
        <Field
          label="Delay"
          error={errorOf('delay')}
          help="Before the first attempt; cancelling is possible until then."
        >
          <DurationInput
            label="Delay"
            in="seconds"
            disabled={isReadOnly}
            value={value.delay}
            onChange={delay => change({ delay: delay ?? 0 })}
          />
        </Field>
        <DigestFields
          value={value.digest}
          onChange={digest => change({ digest })}
          errorOf={errorOf}
          isReadOnly={isReadOnly}
        />
        <ThrottleFields
          value={value.throttle}
          onChange={throttle => change({ throttle })}
          errorOf={errorOf}
          isReadOnly={isReadOnly}
        />
      </Section>
      <Section
        title="Delivery"
        about="Which template and provider each channel uses, and how often it is tried. If left empty: as the settings say."
      >
        <PerChannel name={name} value={value} change={change} errorOf={errorOf} isReadOnly={isReadOnly} />
        <div className="grid gap-4 md:grid-cols-2">
          <Field label="First wait between attempts" isOptional error={errorOf('retry_base_ms')}>
            <DurationInput
              label="First wait"
              in="ms"
              placeholder="As in settings"
              disabled={isReadOnly}
              value={value.retry_base_ms}
              onChange={retry_base_ms => change({ retry_base_ms })}
            />
          </Field>
          <Field label="Longest wait" isOptional error={errorOf('retry_cap_ms')}>
            <DurationInput
              label="Longest wait"
              in="ms"
              placeholder="As in settings"
              disabled={isReadOnly}
              value={value.retry_cap_ms}
              onChange={retry_cap_ms => change({ retry_cap_ms })}
            />
          </Field>
        </div>
      </Section>
    </Card>
  )
}
