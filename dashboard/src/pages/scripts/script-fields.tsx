/** What a script is called, and how much it may use. */
import type { ScriptSummary } from '@carillon/contract'
import { Field, Input } from '../../ui/field.tsx'
import { numberOf, numberText } from '../../ui/number-text.ts'

export interface ScriptDraft {
  name: string
  description: string
  timeout_ms: string
  cpu_ms: string
  memory_mb: string
}

export const SCRIPT_FIELDS = ['name', 'description', 'timeout_ms', 'cpu_ms', 'memory_mb']

export const scriptDraft = (script?: ScriptSummary): ScriptDraft => ({
  name: script?.name ?? '',
  description: script?.description ?? '',
  timeout_ms: numberText(script?.timeout_ms ?? 10_000),
  cpu_ms: numberText(script?.cpu_ms ?? 1000),
  memory_mb: numberText(script?.memory_mb ?? 32),
})

export const scriptValues = (draft: ScriptDraft) => ({
  name: draft.name.trim(),
  description: draft.description,
  timeout_ms: numberOf(draft.timeout_ms) ?? 10_000,
  cpu_ms: numberOf(draft.cpu_ms) ?? 1000,
  memory_mb: numberOf(draft.memory_mb) ?? 32,
})

interface FieldsProps {
  draft: ScriptDraft
  onChange(changes: Partial<ScriptDraft>): void
  errorOf(field: string): string | undefined
}

export function NameFields({ draft, onChange, errorOf }: FieldsProps) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <Field label="Name" help="Lower-case letters, digits, - and _." error={errorOf('name')}>
        <Input
          value={draft.name}
          autoComplete="off"
          spellCheck={false}
          placeholder="order-watcher"
          className="font-mono text-code"
          onChange={event => onChange({ name: event.target.value })}
        />
      </Field>
      <Field label="Description" isOptional help="What it is for." error={errorOf('description')}>
        <Input value={draft.description} onChange={event => onChange({ description: event.target.value })} />
      </Field>
    </div>
  )
}

export function LimitFields({ draft, onChange, errorOf }: FieldsProps) {
  const number = (name: 'timeout_ms' | 'cpu_ms' | 'memory_mb', label: string, help: string) => (
    <Field label={label} help={help} error={errorOf(name)}>
      <Input type="number" value={draft[name]} onChange={event => onChange({ [name]: event.target.value })} />
    </Field>
  )
  return (
    <div className="grid items-start gap-4 md:grid-cols-3">
      {number('timeout_ms', 'Longest run in ms', 'By the clock, from 100 to 60,000.')}
      {number('cpu_ms', 'Processor time in ms', 'From 10 to 10,000.')}
      {number('memory_mb', 'Memory in MiB', 'From 4 to 128.')}
    </div>
  )
}
