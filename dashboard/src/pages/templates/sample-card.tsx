/** What the preview is made with. */
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { LocaleInput, ZoneInput } from '../../ui/locale-input.tsx'
import { Card } from '../../ui/page.tsx'
import type { Payload } from './use-payload.ts'
import type { Reader } from './use-preview.ts'

interface SampleCardProps {
  payload: Payload
  reader: Reader
  onReader(reader: Reader): void
  onSave(): void
}

export function SampleCard({ payload, reader, onReader, onSave }: SampleCardProps) {
  return (
    <Card
      title="Sample payload"
      actions={
        <>
          {payload.missing.length > 0 && (
            <Button
              size="small"
              title={`The text uses ${payload.missing.join(', ')}, which the payload lacks`}
              onClick={payload.fill}
            >
              Add missing {payload.missing.length === 1 ? 'field' : 'fields'}
            </Button>
          )}
          <Button kind="quiet" size="small" onClick={payload.reset}>
            Begin again
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <JsonEditor
          label="Sample payload"
          value={payload.text}
          onChange={payload.setText}
          onSubmit={onSave}
          className="max-h-72 min-h-24"
        />
        <div className="grid gap-4 md:grid-cols-2">
          <Field label="Reader’s language" help="For translations, dates and money.">
            <LocaleInput value={reader.locale} onChange={locale => onReader({ ...reader, locale })} />
          </Field>
          <Field label="Reader’s time zone" help="For dates.">
            <ZoneInput value={reader.timezone} onChange={timezone => onReader({ ...reader, timezone })} />
          </Field>
        </div>
      </div>
    </Card>
  )
}
