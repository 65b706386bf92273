/** What the payload must have. Every placeholder is declared, so that a missing one is found before anything is sent. */
import type { TemplateVariable } from '@carillon/contract'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, Input } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import type { Mistakes } from './mistakes.ts'

interface VariablesCardProps {
  variables: TemplateVariable[]
  payload: Record<string, unknown>
  undeclared: string[]
  mistakes: Mistakes
  onChange(variables: TemplateVariable[]): void
  /** Names were declared that were used already. */
  onDeclare(): void
  isReadOnly: boolean
}

export function VariablesCard(props: VariablesCardProps) {
  const { variables, payload, undeclared, mistakes, onChange, onDeclare, isReadOnly } = props
  const declare = (names: string[]) =>
    onChange([
      ...variables,
      ...names.map(name => ({ name, required: true, description: '', sample: payload[name] ?? null })),
    ])
  const set = (i: number, changes: Partial<TemplateVariable>) =>
    onChange(variables.map((each, at) => (at === i ? { ...each, ...changes } : each)))
  const samplesDiffer = variables.some(
    ({ name, sample }) => name in payload && JSON.stringify(payload[name]) !== JSON.stringify(sample),
  )
  return (
    <Card
      title="Variables"
      actions={
        !isReadOnly && (
          <>
            {samplesDiffer && (
              <Button
                kind="quiet"
                size="small"
                title="Saves the values of the sample payload with the template, for everybody"
                onClick={() =>
                  onChange(
                    variables.map(each =>
                      each.name in payload ? { ...each, sample: payload[each.name] } : each,
                    ),
                  )
                }
              >
                Keep the sample payload
              </Button>
            )}
            <Button kind="quiet" size="small" onClick={() => declare([''])}>
              <Plus size={14} aria-hidden="true" />
              Add
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {undeclared.length > 0 && !isReadOnly && (
          <Notice tone="warn">
            <span className="flex flex-wrap items-center justify-between gap-2">
              <span>
                Used and not declared: <code className="font-mono text-code">{undeclared.join(', ')}</code>
              </span>
              <Button
                size="small"
                onClick={() => {
                  declare(undeclared)
                  onDeclare()
                }}
              >
                Declare {undeclared.length === 1 ? 'it' : 'them'}
              </Button>
            </span>
          </Notice>
        )}
        {variables.length === 0 && (
          <p className="text-muted">
            Fields of the payload that the text uses. A message whose payload lacks a required one becomes a
            dead letter instead of being sent half filled in.
          </p>
        )}
        {variables.map((variable, i) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
            key={i}
            className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 gap-y-1 md:grid-cols-[11rem_minmax(0,1fr)_auto_auto]"
          >
            <Input
              aria-label="Name of the variable"
              placeholder="name"
              className="font-mono text-code"
              value={variable.name}
              readOnly={isReadOnly}
              aria-invalid={mistakes.said[`variables.${i}.name`] ? true : undefined}
              onChange={event => set(i, { name: event.target.value.trim() })}
            />
            <Input
              aria-label={`What ${variable.name || 'it'} is`}
              placeholder="What it is"
              className="max-md:order-last max-md:col-span-3"
              value={variable.description}
              readOnly={isReadOnly}
              onChange={event => set(i, { description: event.target.value })}
            />
            <Checkbox
              label="Required"
              checked={variable.required}
              disabled={isReadOnly}
              onChange={event => set(i, { required: event.target.checked })}
            />
            <IconButton
              label={`Remove ${variable.name}`}
              disabled={isReadOnly}
              onClick={() => onChange(variables.filter((_, at) => at !== i))}
            >
              <X size={14} />
            </IconButton>
            {mistakes.said[`variables.${i}.name`] && (
              <p role="alert" className="col-span-full text-sm text-bad">
                {mistakes.said[`variables.${i}.name`]}
              </p>
            )}
          </div>
        ))}
      </div>
    </Card>
  )
}
