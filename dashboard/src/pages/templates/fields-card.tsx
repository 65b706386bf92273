/** One editor for each part of what the channel's messages consist of. */
import type { Template } from '@carillon/contract'
import type { CompletionSource } from '@codemirror/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { type TextField, textFieldsOf } from './content.ts'
import { completeLiquid, type Known } from './liquid-completions.ts'
import type { Mistakes } from './mistakes.ts'
import type { Draft } from './use-draft.ts'

interface FieldsCardProps {
  template: Template
  draft: Draft
  payload: Record<string, unknown>
  mistakes: Mistakes
  onSave(): void
  isReadOnly: boolean
}

const NO_MISTAKES: [] = []

export function FieldsCard({ template, draft, payload, mistakes, onSave, isReadOnly }: FieldsCardProps) {
  const { channel, locale } = template
  const { content, change } = draft
  const completions = useCompletions(payload, locale)
  return (
    <Card>
      <div className="flex flex-col gap-4">
        {textFieldsOf(channel).map(field => {
          const value = content[field.name]
          if (value === null && field.isOptional)
            return (
              <MissingText key={field.name} isReadOnly={isReadOnly} onAdd={() => change({ text: ' ' })} />
            )
          return (
            <div key={field.name} className="flex min-w-0 flex-col gap-1">
              <div className="flex min-h-6 items-center justify-between gap-2">
                <span className="font-medium">{field.label}</span>
                {field.isOptional && !isReadOnly && (
                  <Button kind="quiet" size="small" onClick={() => change({ [field.name]: null })}>
                    Make it from the body
                  </Button>
                )}
              </div>
              <CodeEditor
                label={field.label}
                language={field.language}
                isSingleLine={field.isSingleLine ?? false}
                value={value ?? ''}
                onChange={text => change({ [field.name]: text })}
                onSubmit={onSave}
                isReadOnly={isReadOnly}
                mistakes={mistakes.marked[field.name] ?? NO_MISTAKES}
                completions={completions}
                className={heightOf(field)}
              />
              <Said field={field} mistakes={mistakes} />
            </div>
          )
        })}
        {channel === 'email' && (
          <LayoutField
            value={content.layout}
            onChange={layout => change({ layout })}
            error={mistakes.said.layout}
            isReadOnly={isReadOnly}
          />
        )}
      </div>
    </Card>
  )
}

function heightOf({ name, isSingleLine, language }: TextField): string {
  if (isSingleLine) return ''
  if (name === 'body' && language === 'liquid-html') return 'h-[26rem]'
  return 'h-40'
}

function Said({ field, mistakes }: { field: TextField; mistakes: Mistakes }) {
  const marked = mistakes.marked[field.name] ?? []
  const said = mistakes.said[field.name]
  return (
    <>
      {marked.map(({ line, message }) => (
        <p key={`${line} ${message}`} role="alert" className="text-sm break-words text-bad">
          {field.isSingleLine ? '' : `Line ${line}: `}
          {message}
        </p>
      ))}
      {said && (
        <p role="alert" className="text-sm break-words text-bad">
          {said}
        </p>
      )}
      {field.help && <p className="text-sm text-muted">{field.help}</p>}
    </>
  )
}

function MissingText({ onAdd, isReadOnly }: { onAdd(): void; isReadOnly: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="font-medium">Text version</span>
      <span className="text-muted">Made from the body.</span>
      {!isReadOnly && (
        <Button kind="quiet" size="small" onClick={onAdd}>
          Write my own
        </Button>
      )}
    </div>
  )
}

function LayoutField({
  value,
  onChange,
  error,
  isReadOnly,
}: {
  value: string | null
  onChange(layout: string | null): void
  error: string | undefined
  isReadOnly: boolean
}) {
  const { data } = useQuery({
    queryKey: ['template-parts'],
    queryFn: ({ signal }) => api.templateParts.list({ signal }),
  })
  const names = (data?.data ?? []).filter(({ kind }) => kind === 'layout').map(({ name }) => name)
  if (value !== null && !names.includes(value)) names.push(value)
  return (
    <Field label="Layout" error={error} help="What stands around the body: head, brand and footer.">
      <Select
        disabled={isReadOnly}
        value={value ?? ''}
        onChange={event => onChange(event.target.value || null)}
        className="max-w-64"
      >
        {names.map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        <option value="">None: the body is the whole mail</option>
      </Select>
    </Field>
  )
}

/** The same function for as long as the editor lives; it looks at what is known now. */
function useCompletions(payload: Record<string, unknown>, locale: string): CompletionSource {
  const { data: parts } = useQuery({
    queryKey: ['template-parts'],
    queryFn: ({ signal }) => api.templateParts.list({ signal }),
  })
  const { data: translations } = useQuery({
    queryKey: ['translations', locale, 'if any'],
    queryFn: async ({ signal }) => {
      const { data } = await api.translations.list({ signal })
      return data.some(each => each.locale === locale) ? api.translations.get(locale, { signal }) : null
    },
  })
  const known = useRef<Known>({ payload, partials: [], messages: [] })
  known.current = {
    payload,
    partials: (parts?.data ?? []).filter(({ kind }) => kind === 'partial').map(({ name }) => name),
    messages: Object.keys(translations?.messages ?? {}),
  }
  return useRef<CompletionSource>(context => completeLiquid(context, known.current)).current
}
