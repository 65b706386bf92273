/** The fields at the left, what they make of it at the right. */
import type { Template } from '@carillon/contract'
import { useState } from 'react'
import { useMay } from '../../app/session.tsx'
import { Card } from '../../ui/page.tsx'
import { FieldsCard } from './fields-card.tsx'
import { mistakesOf, undeclaredIn } from './mistakes.ts'
import { PreviewCard } from './preview-card.tsx'
import { SampleCard } from './sample-card.tsx'
import type { Draft } from './use-draft.ts'
import type { Payload } from './use-payload.ts'
import { type Reader, usePreview } from './use-preview.ts'
import { VariablesCard } from './variables-card.tsx'

interface WriteTabProps {
  template: Template
  draft: Draft
  payload: Payload
  onSave(): void
}

export function WriteTab({ template, draft, payload, onSave }: WriteTabProps) {
  const { channel } = template
  const mayWrite = useMay('templates:write')
  const [reader, setReader] = useState<Reader>({
    locale: template.locale,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  const preview = usePreview({
    channel,
    content: draft.content,
    data: payload.value,
    reader,
    isAllowed: mayWrite,
  })
  const errors = draft.errors.length > 0 ? draft.errors : preview.errors
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4 max-lg:contents">
        <FieldsCard
          template={template}
          draft={draft}
          payload={payload.value ?? {}}
          mistakes={mistakesOf(errors)}
          onSave={onSave}
          isReadOnly={!mayWrite}
        />
        {/* On a phone, what it looks like comes right after the text. */}
        <div className="min-w-0 max-lg:order-last">
          <VariablesCard
            variables={draft.content.variables}
            payload={payload.value ?? {}}
            undeclared={undeclaredIn(errors)}
            mistakes={mistakesOf(errors)}
            onChange={variables => draft.change({ variables })}
            onDeclare={payload.fill}
            isReadOnly={!mayWrite}
          />
        </div>
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-16">
        {mayWrite ? (
          <PreviewCard channel={channel} preview={preview} />
        ) : (
          <Card title="Preview">
            <p className="text-muted">Previews need templates:write: ask an owner.</p>
          </Card>
        )}
        <SampleCard payload={payload} reader={reader} onReader={setReader} onSave={onSave} />
      </div>
    </div>
  )
}
