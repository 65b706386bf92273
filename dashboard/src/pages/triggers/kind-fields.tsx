/** What each kind asks for. */
import { CheckList } from '../../ui/check-list.tsx'
import { Field, Input, Select, Switch } from '../../ui/field.tsx'
import type { TriggerDraft } from './trigger-draft.ts'
import type { TriggerFormProps } from './trigger-form.tsx'
import { MISFIRES } from './trigger-words.ts'

const GLOB = 'A name, a beginning followed by *, or * for every one.'

type TextName =
  | 'collection'
  | 'cron'
  | 'timezone'
  | 'event_kind'
  | 'topic'
  | 'queue'
  | 'address'
  | 'trigger_id'

export function KindFields(props: TriggerFormProps) {
  const { kind, draft, onChange, errorOf } = props
  const text = (name: TextName, label: string, help: string, placeholder = '', isOptional = false) => (
    <Field label={label} help={help} isOptional={isOptional} error={errorOf(`config.${name}`)}>
      <Input
        value={draft[name]}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        {...(name === 'timezone' && { list: 'time-zones' })}
        onChange={event => onChange({ [name]: event.target.value })}
      />
    </Field>
  )
  switch (kind) {
    case 'kv':
      return (
        <>
          {text('collection', 'Collection', GLOB, 'orders:*')}
          <CheckList
            label="What happens to an entry"
            help="None chosen: anything."
            groups={[
              {
                items: [
                  { value: 'insert' as const, label: 'It is new' },
                  { value: 'update' as const, label: 'It is changed' },
                  { value: 'delete' as const, label: 'It is deleted' },
                ],
              },
            ]}
            chosen={draft.ops}
            onChange={ops => onChange({ ops })}
            error={errorOf('config.ops')}
          />
        </>
      )
    case 'cron':
      return (
        <>
          {text(
            'cron',
            'Cron expression',
            'Minute, hour, day of the month, month, day of the week: 30 8 * * 1-5 is half past eight on weekdays.',
            '30 8 * * 1-5',
          )}
          {text('timezone', 'Time zone', 'In which the expression is read.', 'Europe/Berlin')}
          <datalist id="time-zones">
            {Intl.supportedValuesOf('timeZone').map(zone => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          <Field
            label="Runs that were missed"
            help="Because the server was not running."
            error={errorOf('config.misfire_policy')}
          >
            <Select
              value={draft.misfire_policy}
              onChange={event =>
                onChange({ misfire_policy: event.target.value as TriggerDraft['misfire_policy'] })
              }
            >
              {Object.entries(MISFIRES).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
          </Field>
        </>
      )
    case 'event':
      return (
        <>
          {text('event_kind', 'Kind of event', GLOB, 'comment.*')}
          {text('topic', 'Topic', 'Only events of this topic. If left empty: any.', 'repo:1', true)}
        </>
      )
    case 'queue':
      return text('queue', 'Queue', GLOB, 'imports')
    case 'email':
      return text('address', 'Address', `To which the mail was sent. ${GLOB}`, 'support@example.com')
    case 'http':
      return <HttpFields {...props} />
    case 'dead_letter':
      return (
        <>
          <Field label="Kind of work" isOptional error={errorOf('config.source')}>
            <Select value={draft.source} onChange={event => onChange({ source: event.target.value })}>
              <option value="">Any</option>
              {SOURCES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
          </Field>
          {text('trigger_id', 'Trigger id', 'Only work of this trigger. If left empty: any.', '', true)}
        </>
      )
  }
}

const SOURCES = [
  ['route', 'Messages to recipients'],
  ['webhook', 'Webhooks'],
  ['event_consumer', 'Event consumers'],
  ['kv', 'Scripts: KV entries'],
  ['cron', 'Scripts: times'],
  ['event', 'Scripts: events'],
  ['queue', 'Scripts: queues'],
  ['email', 'Scripts: mails'],
  ['http', 'Scripts: HTTP calls'],
  ['invoke', 'Scripts: invocations'],
] as const

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function HttpFields({ draft, onChange, errorOf }: TriggerFormProps) {
  return (
    <>
      <CheckList
        label="Methods"
        isDense
        groups={[{ items: METHODS.map(value => ({ value, label: value })) }]}
        chosen={draft.methods}
        onChange={methods => onChange({ methods })}
        error={errorOf('config.methods')}
      />
      <Field
        label="Answer with the result of the script"
        help={
          draft.is_sync
            ? 'Callers wait until it is over.'
            : 'Callers get 202 at once, and the script runs afterwards, with retries.'
        }
        error={errorOf('dispatch_mode')}
      >
        <Switch
          label="Answer with the result of the script"
          isOn={draft.is_sync}
          onChange={is_sync => onChange({ is_sync })}
        />
      </Field>
    </>
  )
}
