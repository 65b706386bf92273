/** The type, from the catalog or a new one, with what it asks for. */
import type { NotificationType } from '@carillon/contract'
import { useState } from 'react'
import { addressOf } from '../../shell/addresses.ts'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Chip } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'

interface TypeFieldProps {
  types: NotificationType[]
  value: string
  error: string | undefined
  onChange(name: string): void
}

const OTHER = '\u0000'

export function TypeField({ types, value, error, onChange }: TypeFieldProps) {
  const type = types.find(({ name }) => name === value)
  const [isOther, setOther] = useState(false)
  const isFree = types.length === 0 || isOther || (value !== '' && type === undefined)
  return (
    <>
      {types.length > 0 && (
        <Field label="Type" error={isFree ? undefined : error} help={type?.description}>
          <Select
            value={isFree ? OTHER : value}
            onChange={event => {
              const isNew = event.target.value === OTHER
              setOther(isNew)
              onChange(isNew ? '' : event.target.value)
            }}
          >
            <option value="" disabled>
              Choose a type
            </option>
            {types.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
            <option value={OTHER}>Another, by name</option>
          </Select>
        </Field>
      )}
      {isFree && (
        <Field
          label={types.length > 0 ? 'Name of the type' : 'Type'}
          error={error}
          help="A type that is not in the catalog is accepted too; then say on which channels it goes."
        >
          <Input
            placeholder="order_shipped"
            spellCheck={false}
            value={value}
            onChange={event => {
              setOther(true)
              onChange(event.target.value)
            }}
          />
        </Field>
      )}
      {type && <TypeNote type={type} />}
    </>
  )
}

function TypeNote({ type }: { type: NotificationType }) {
  const { name, required_fields, channels, critical, producers } = type
  return (
    <p className="flex flex-wrap items-center gap-1 text-sm text-muted">
      Goes by {channels.map(channel => CHANNEL_NAMES[channel]).join(', ')}
      {producers.length > 0 && <>, sent as {producers.join(' or ')}</>}
      {critical && ', even in quiet hours'}
      {required_fields.length > 0 && (
        <>
          . Requires{' '}
          {required_fields.map(field => (
            <Chip key={field} className="font-mono">
              {field}
            </Chip>
          ))}
        </>
      )}
      <TextLink to={addressOf('notification_type', name)}>Open the type</TextLink>
    </p>
  )
}
