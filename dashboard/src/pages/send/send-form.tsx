import type { NotificationType } from '@carillon/contract'
import { Wand2 } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Checkbox } from '../../ui/field.tsx'
import type { Saving } from '../../ui/use-save.ts'
import { AudienceFields } from './audience-fields.tsx'
import { type Draft, mistakeIn, starterOf } from './draft.ts'
import { OptionFields } from './option-fields.tsx'
import { TypeField } from './type-field.tsx'

interface SendFormProps {
  draft: Draft
  types: NotificationType[]
  saving: Pick<Saving<unknown>, 'errorOf'>
  change(changes: Partial<Draft>): void
  choose(type: string): void
  onSubmit(): void
}

/** As errors name the fields that the type requires. */
export const payloadFields = (type: NotificationType | undefined): string[] =>
  (type?.required_fields ?? []).map(field => `payload.${field}`)

export function SendForm({ draft, types, saving, change, choose, onSubmit }: SendFormProps) {
  const type = types.find(({ name }) => name === draft.type)
  const mistake = mistakeIn(draft.payload)
  const payloadErrors = ['payload', ...payloadFields(type)].flatMap(field => saving.errorOf(field) ?? [])
  return (
    <div className="flex flex-col gap-4">
      <TypeField
        types={types}
        value={draft.type}
        error={saving.errorOf('notification_type')}
        onChange={choose}
      />
      <AudienceFields draft={draft} type={type} change={change} />
      {draft.audience !== 'addresses' && <ChannelFields draft={draft} type={type} change={change} />}
      <div className="flex flex-col gap-1">
        <div className="flex items-center justify-between gap-2">
          <span className="font-medium">Payload</span>
          {type && type.required_fields.length > 0 && (
            <Button kind="quiet" size="small" onClick={() => change({ payload: starterOf(type) })}>
              <Wand2 size={14} aria-hidden="true" />
              Fill in the required fields
            </Button>
          )}
        </div>
        <CodeEditor
          label="Payload"
          language="json"
          value={draft.payload}
          onChange={payload => change({ payload })}
          onSubmit={onSubmit}
          mistakes={mistake ? [mistake] : []}
          className="max-h-96"
        />
        {(mistake || payloadErrors.length > 0) && (
          <p role="alert" className="text-sm break-words text-bad">
            {mistake ? `Line ${mistake.line}: ${mistake.message}` : payloadErrors.join(' ')}
          </p>
        )}
      </div>
      <OptionFields draft={draft} saving={saving} change={change} />
    </div>
  )
}

function ChannelFields({
  draft,
  type,
  change,
}: {
  draft: Draft
  type: NotificationType | undefined
  change(changes: Partial<Draft>): void
}) {
  const shown = draft.channels.length > 0 ? draft.channels : (type?.channels ?? [])
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">Channels</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {CHANNELS.map(channel => (
          <Checkbox
            key={channel}
            label={CHANNEL_NAMES[channel]}
            checked={shown.includes(channel)}
            onChange={() =>
              change({
                channels: CHANNELS.filter(each => shown.includes(each) !== (each === channel)),
              })
            }
          />
        ))}
      </div>
      <p className="text-sm text-muted">
        {draft.channels.length > 0 ? (
          <button
            type="button"
            onClick={() => change({ channels: [] })}
            className="text-accent hover:underline"
          >
            Leave it to the type
          </button>
        ) : type ? (
          'As the type has it.'
        ) : (
          'Needed for a type that is not in the catalog.'
        )}
      </p>
    </fieldset>
  )
}
