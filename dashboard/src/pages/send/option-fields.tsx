/** What most tests do not need, folded. */
import { Field, Input } from '../../ui/field.tsx'
import type { Saving } from '../../ui/use-save.ts'
import type { Draft } from './draft.ts'

interface OptionFieldsProps {
  draft: Draft
  saving: Pick<Saving<unknown>, 'errorOf'>
  change(changes: Partial<Draft>): void
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

const TEXTS = [
  ['reason', 'Reason', 'reason', 'Why these people get it, such as mention; people can switch reasons off.'],
  ['producer', 'Producer', 'producer', 'Who says so; yours unless given.'],
  ['template', 'Template', 'template', 'Replaces that of the type.'],
  [
    'idempotencyKey',
    'Idempotency key',
    'idempotency_key',
    'The same key and content are accepted once; every send of this form gets a new one unless given.',
  ],
] as const

export function OptionFields({ draft, saving, change }: OptionFieldsProps) {
  return (
    <details>
      <summary className="font-medium marker:text-muted">Options</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        {TEXTS.map(([name, label, field, help]) => (
          <Field key={name} label={label} isOptional help={help} error={saving.errorOf(field)}>
            <Input
              spellCheck={false}
              value={draft[name]}
              onChange={event => change({ [name]: event.target.value })}
            />
          </Field>
        ))}
        <Field
          label="Not before"
          isOptional
          help={`In your zone, ${zone}.`}
          error={saving.errorOf('send_at')}
        >
          <Input
            type="datetime-local"
            value={draft.sendAt}
            onChange={event => change({ sendAt: event.target.value })}
          />
        </Field>
        <Field label="Not after" isOptional help="Retries included." error={saving.errorOf('expires_at')}>
          <Input
            type="datetime-local"
            value={draft.expiresAt}
            onChange={event => change({ expiresAt: event.target.value })}
          />
        </Field>
      </div>
    </details>
  )
}
