/** The fields of a JSON Schema. */
import { Field, Input, Select, Switch, Textarea } from '../../ui/field.tsx'
import { PairsInput } from '../../ui/pairs-input.tsx'
import type { DraftValue, SchemaDraft, SchemaField } from './schema-fields.ts'

interface SchemaFormProps {
  fields: SchemaField[]
  draft: SchemaDraft
  onChange(draft: SchemaDraft): void
  errorOf(path: string): string | undefined
}

export function SchemaForm({ fields, draft, onChange, errorOf }: SchemaFormProps) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      {fields.map(field => (
        <Field
          key={field.path}
          label={field.label}
          help={field.help}
          error={errorOf(field.path)}
          isOptional={!field.isRequired && !isAlwaysSet(field)}
          className={isWide(field) ? 'md:col-span-2' : ''}
        >
          <SchemaInput
            field={field}
            value={draft[field.name] ?? ''}
            onChange={value => onChange({ ...draft, [field.name]: value })}
          />
        </Field>
      ))}
    </div>
  )
}

const isWide = ({ kind }: SchemaField) => kind === 'lines' || kind === 'pairs' || kind === 'json'
const isAlwaysSet = ({ kind }: SchemaField) => kind === 'choice' || kind === 'switch'

interface SchemaInputProps {
  field: SchemaField
  value: DraftValue
  onChange(value: DraftValue): void
}

function SchemaInput({ field, value, onChange }: SchemaInputProps) {
  const { kind, label, isSecret, isRequired, options, inputType, min, max } = field
  if (kind === 'switch') return <Switch label={label} isOn={value === true} onChange={onChange} />
  if (typeof value === 'object')
    return (
      <PairsInput
        label={label}
        pairs={value}
        isSecret={isSecret}
        onChange={onChange}
        {...(field.name === 'webhooks' && { placeholders: ['Name', 'https://…'] as [string, string] })}
      />
    )
  const text = String(value)
  if (kind === 'choice')
    return (
      <Select value={text} onChange={event => onChange(event.target.value)}>
        {!isRequired && field.default === undefined && <option value="">–</option>}
        {options.map(option => (
          <option key={option} value={option}>
            {option.replaceAll('_', ' ')}
          </option>
        ))}
      </Select>
    )
  const control = {
    value: text,
    autoComplete: isSecret ? 'new-password' : 'off',
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  if (kind === 'lines' || kind === 'json')
    return (
      <Textarea
        {...control}
        className={`font-mono text-code ${isSecret ? '[-webkit-text-security:disc]' : ''}`}
      />
    )
  return (
    <Input
      {...control}
      type={kind === 'number' ? 'number' : inputType}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      {...(inputType === 'url' && { placeholder: 'https://' })}
    />
  )
}
