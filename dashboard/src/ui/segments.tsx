/** One of a few ways to look at something. */
import { ToggleGroup } from 'radix-ui'
import type { ReactNode } from 'react'

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: NoInfer<Value>; label: ReactNode; title?: string }[]
  onChange(value: NoInfer<Value>): void
}

export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={next => next && onChange(next as Value)}
      className="inline-flex h-7 shrink-0 items-stretch rounded-control border border-control p-px"
    >
      {options.map(option => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          title={option.title}
          aria-label={option.title}
          className="inline-flex items-center gap-1.5 rounded-[4px] px-2 text-sm text-muted hover:text-text data-[state=on]:bg-accent-soft data-[state=on]:font-medium data-[state=on]:text-accent"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
