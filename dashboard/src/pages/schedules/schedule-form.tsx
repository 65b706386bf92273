import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '../../app/api.ts'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { CheckRow } from '../../ui/check-row.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { ZoneInput } from '../../ui/locale-input.tsx'
import { Card } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import type { Form } from '../../ui/use-form.ts'
import { AudienceFields } from './audience-fields.tsx'
import { sayCron } from './cron-words.ts'
import type { ScheduleValues } from './schedule-values.ts'

export const FIELDS = [
  'name',
  'cron',
  'timezone',
  'intent.notification_type',
  'intent.audience',
  'intent.audience.user_ids',
  'intent.audience.addresses',
  'intent.audience.topic',
  'intent.channels',
  'intent.payload',
]

const PRESETS = ['0 8 * * 1-5', '0 8 * * *', '0 8 * * 1', '0 9 1 * *', '0 * * * *', '*/5 * * * *']

interface ScheduleFormProps {
  form: Form<ScheduleValues>
  errorOf(field: string): string | undefined
  isReadOnly: boolean
  onSubmit(): void
}

export function ScheduleForm({ form, errorOf, isReadOnly, onSubmit }: ScheduleFormProps) {
  const { value, change } = form
  const typesId = useId()
  const types = useQuery({
    queryKey: ['notification-types'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
  })
  return (
    <Card isFlush>
      <Section title="When">
        <Field label="Name" error={errorOf('name')}>
          <Input
            maxLength={100}
            readOnly={isReadOnly}
            value={value.name}
            onChange={event => change({ name: event.target.value })}
          />
        </Field>
        <Field
          label="Cron expression"
          error={errorOf('cron')}
          help={sayCron(value.cron) || 'Minute, hour, day, month, weekday; or @daily and the like.'}
        >
          <div className="flex flex-col gap-2 md:flex-row">
            <Input
              maxLength={100}
              spellCheck={false}
              readOnly={isReadOnly}
              className="font-mono text-code"
              value={value.cron}
              onChange={event => change({ cron: event.target.value })}
            />
            <div className="shrink-0 md:w-52">
              <Select
                id={undefined}
                aria-label="Common times"
                disabled={isReadOnly}
                value={PRESETS.includes(value.cron) ? value.cron : ''}
                onChange={event => event.target.value && change({ cron: event.target.value })}
              >
                <option value="">Common times</option>
                {PRESETS.map(cron => (
                  <option key={cron} value={cron}>
                    {sayCron(cron)}
                  </option>
                ))}
              </Select>
            </div>
          </div>
        </Field>
        <Field
          label="Time zone"
          error={errorOf('timezone')}
          help="In which the expression is read, daylight saving time included."
        >
          <ZoneInput
            readOnly={isReadOnly}
            className="max-w-64"
            value={value.timezone}
            onChange={timezone => change({ timezone })}
          />
        </Field>
      </Section>
      <Section
        title="What it sends"
        about="The same intent at every run. Preferences, quiet hours and caps apply as always."
      >
        <Field label="Type" error={errorOf('intent.notification_type')}>
          <Input
            list={typesId}
            maxLength={100}
            className="max-w-64"
            readOnly={isReadOnly}
            value={value.type}
            onChange={event => change({ type: event.target.value })}
          />
          <datalist id={typesId}>
            {types.data?.data.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </Field>
        <AudienceFields
          value={value.audience}
          onChange={audience => change({ audience })}
          errorOf={errorOf}
          isReadOnly={isReadOnly}
        />
        <Field label="Channels" error={errorOf('intent.channels')} help="None chosen: those of the type.">
          <CheckRow
            label="Channels"
            disabled={isReadOnly}
            options={CHANNELS}
            labels={CHANNEL_NAMES}
            value={value.channels}
            onChange={channels => change({ channels })}
          />
        </Field>
        <Field label="Payload" error={errorOf('intent.payload')}>
          <JsonEditor
            label="Payload"
            isReadOnly={isReadOnly}
            value={value.payload}
            onChange={payload => change({ payload })}
            onSubmit={onSubmit}
            className="min-h-32"
          />
        </Field>
      </Section>
    </Card>
  )
}
