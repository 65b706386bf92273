/** Who gets what a schedule sends. */
import type { Audience, Channel } from '@carillon/contract'
import { AUDIENCE_KINDS, AUDIENCE_NAMES } from '../../ui/audience.ts'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { ChipsInput } from '../../ui/chips-input.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'

interface AudienceFieldsProps {
  value: Audience
  onChange(value: Audience): void
  errorOf(field: string): string | undefined
  isReadOnly: boolean
}

export function AudienceFields({ value, onChange, errorOf, isReadOnly }: AudienceFieldsProps) {
  return (
    <>
      <Field label="Audience" error={errorOf('intent.audience')}>
        <Select
          disabled={isReadOnly}
          className="max-w-64"
          value={value.kind}
          onChange={event => onChange(emptyAudience(event.target.value as Audience['kind']))}
        >
          {AUDIENCE_KINDS.map(kind => (
            <option key={kind} value={kind}>
              {AUDIENCE_NAMES[kind]}
            </option>
          ))}
        </Select>
      </Field>
      {value.kind === 'users' && (
        <Field label="User ids" error={errorOf('intent.audience.user_ids')}>
          <ChipsInput
            disabled={isReadOnly}
            value={value.user_ids}
            onChange={user_ids => onChange({ ...value, user_ids })}
          />
        </Field>
      )}
      {value.kind === 'topic' && (
        <Field label="Topic" error={errorOf('intent.audience.topic')}>
          <Input
            readOnly={isReadOnly}
            className="max-w-64"
            value={value.topic}
            onChange={event => onChange({ ...value, topic: event.target.value })}
          />
        </Field>
      )}
      {value.kind === 'addresses' && (
        <>
          <Field label="Channel of the addresses">
            <Select
              disabled={isReadOnly}
              className="max-w-64"
              value={value.channel}
              onChange={event =>
                onChange({ ...value, channel: event.target.value as Exclude<Channel, 'in_app'> })
              }
            >
              {CHANNELS.filter(channel => channel !== 'in_app').map(channel => (
                <option key={channel} value={channel}>
                  {CHANNEL_NAMES[channel]}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="Addresses" error={errorOf('intent.audience.addresses')}>
            <ChipsInput
              disabled={isReadOnly}
              value={value.addresses}
              onChange={addresses => onChange({ ...value, addresses })}
            />
          </Field>
        </>
      )}
    </>
  )
}

function emptyAudience(kind: Audience['kind']): Audience {
  if (kind === 'users') return { kind, user_ids: [] }
  if (kind === 'topic') return { kind, topic: '' }
  if (kind === 'addresses') return { kind, channel: 'email', addresses: [] }
  return { kind }
}
