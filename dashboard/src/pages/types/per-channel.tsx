/** Template, provider and attempts of each channel that the type uses. */
import type { Channel } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { api } from '../../app/api.ts'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Input } from '../../ui/field.tsx'
import type { TypeFormProps } from './type-form.tsx'
import type { TypeValues } from './type-page.tsx'

interface PerChannelProps extends Omit<TypeFormProps, 'form'> {
  value: TypeValues
  change(changes: Partial<TypeValues>): void
}

export function PerChannel({ name, value, change, errorOf, isReadOnly }: PerChannelProps) {
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.providers.list({ signal }),
  })
  const channels = [...value.channels, ...value.escalate.map(({ channel }) => channel)]
  if (channels.length === 0) return null
  const set = (field: 'templates' | 'providers', channel: Channel, text: string) => {
    const { [channel]: _before, ...others } = value[field]
    change({ [field]: text === '' ? others : { ...others, [channel]: text } })
  }
  const setAttempts = (channel: Channel, count: number) => {
    const { [channel]: _before, ...others } = value.max_attempts
    change({ max_attempts: Number.isNaN(count) ? others : { ...others, [channel]: count } })
  }
  return (
    <div className="grid grid-cols-[4rem_minmax(0,1fr)_minmax(0,1fr)_4.5rem] items-center gap-x-3 gap-y-2">
      {['', 'Template', 'Provider', 'Attempts'].map(title => (
        <span key={title} className="text-sm text-muted">
          {title}
        </span>
      ))}
      {channels.map(channel => {
        const errors = ['templates', 'providers', 'max_attempts'].flatMap(
          field => errorOf(`${field}.${channel}`) ?? [],
        )
        return (
          <Fragment key={channel}>
            <span>{CHANNEL_NAMES[channel]}</span>
            <Input
              aria-label={`Template for ${channel}`}
              placeholder={name}
              readOnly={isReadOnly}
              value={value.templates[channel] ?? ''}
              onChange={event => set('templates', channel, event.target.value)}
            />
            <Input
              aria-label={`Provider for ${channel}`}
              placeholder="Any"
              list={`providers-${channel}`}
              readOnly={isReadOnly}
              value={value.providers[channel] ?? ''}
              onChange={event => set('providers', channel, event.target.value)}
            />
            <datalist id={`providers-${channel}`}>
              {providers.data?.data
                .filter(provider => provider.channel === channel)
                .map(provider => (
                  <option key={provider.name} value={provider.name} />
                ))}
            </datalist>
            <Input
              type="number"
              min={1}
              max={100}
              aria-label={`Attempts on ${channel}`}
              readOnly={isReadOnly}
              value={value.max_attempts[channel] ?? ''}
              onChange={event => setAttempts(channel, event.target.valueAsNumber)}
            />
            {errors.map(error => (
              <p key={error} role="alert" className="col-span-full text-sm text-bad">
                {error}
              </p>
            ))}
          </Fragment>
        )
      })}
    </div>
  )
}
