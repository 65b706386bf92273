/** Forms: a label above, help below, and an error at the field in the API's own words. */
import { Switch as RadixSwitch } from 'radix-ui'
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'
import { classes } from './classes.ts'

interface FieldIds {
  id: string
  describedBy: string | undefined
  isWrong: boolean
}
const FieldContext = createContext<FieldIds | undefined>(undefined)

export interface FieldProps {
  label: ReactNode
  help?: ReactNode
  error?: string | undefined
  isOptional?: boolean
  className?: string
  children: ReactNode
}

export function Field({ label, help, error, isOptional = false, className, children }: FieldProps) {
  const id = useId()
  const describedBy = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div className={classes('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
        {isOptional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      <FieldContext value={{ id, describedBy, isWrong: error !== undefined }}>{children}</FieldContext>
      {error && (
        <p id={`${id}-error`} className="text-sm text-bad" role="alert">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="text-sm text-muted">
          {help}
        </p>
      )}
    </div>
  )
}

const CONTROL =
  'w-full min-w-0 rounded-control border bg-surface px-2.5 text-text outline-offset-0 disabled:opacity-60'
// A select matches :read-only too, although one can choose from it.
const TEXT = 'read-only:bg-bg'

/** What ties a control to the label, the help and the error around it. */
export function useControl(): {
  id?: string
  'aria-describedby'?: string
  'aria-invalid'?: true
  edge: string
} {
  const field = useContext(FieldContext)
  if (field === undefined) return { edge: 'border-control' }
  return {
    id: field.id,
    ...(field.describedBy && { 'aria-describedby': field.describedBy }),
    ...(field.isWrong && { 'aria-invalid': true }),
    edge: field.isWrong ? 'border-bad' : 'border-control',
  }
}

export function Input({ className, ...props }: ComponentProps<'input'>) {
  const { edge, ...control } = useControl()
  return <input {...control} {...props} className={classes(CONTROL, TEXT, 'h-8', edge, className)} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  const { edge, ...control } = useControl()
  return (
    <textarea
      rows={4}
      {...control}
      {...props}
      className={classes(CONTROL, TEXT, 'py-1.5', edge, className)}
    />
  )
}

/** The browser's own: works everywhere, with every keyboard and on every phone. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  const { edge, ...control } = useControl()
  return <select {...control} {...props} className={classes(CONTROL, 'h-8 pr-7', edge, className)} />
}

export function Checkbox({ label, className, ...props }: ComponentProps<'input'> & { label: ReactNode }) {
  return (
    <label className={classes('flex min-h-6 items-center gap-2', className)}>
      <input type="checkbox" {...props} className="size-4 shrink-0 accent-accent" />
      <span className="min-w-0">{label}</span>
    </label>
  )
}

export interface SwitchProps {
  label: string
  isOn: boolean
  onChange(isOn: boolean): void
  disabled?: boolean
  /** Shows the label beside it; otherwise it is only read aloud. */
  showsLabel?: boolean
}

export function Switch({ label, isOn, onChange, disabled = false, showsLabel = false }: SwitchProps) {
  const id = useId()
  return (
    <span className="inline-flex items-center gap-2 align-middle">
      <RadixSwitch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-label={showsLabel ? undefined : label}
        className="relative h-5 w-9 shrink-0 rounded-full border border-control bg-bg transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <RadixSwitch.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-4.5 data-[state=checked]:bg-accent-text" />
      </RadixSwitch.Root>
      {showsLabel && <label htmlFor={id}>{label}</label>}
    </span>
  )
}
