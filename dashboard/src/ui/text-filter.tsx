/** A filter whose value is typed: a name, an id, an address. */
import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { Button } from './button.tsx'
import { Field, Input } from './field.tsx'
import { POPOVER } from './menu.tsx'

interface TextFilterProps {
  label: string
  /** What it may look like. */
  placeholder?: string | undefined
  onChoose(value: string): void
}

export function TextFilter({ label, placeholder, onChoose }: TextFilterProps) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const choose = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    setOpen(false)
    onChoose(text.trim())
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button kind="quiet" size="small" className="rounded-full border-dashed border-border!">
          {label}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className={`${POPOVER} w-72 max-w-[calc(100vw-1rem)]`}
        >
          <form onSubmit={choose} className="flex items-end gap-2 p-2">
            <Field label={label} className="flex-1">
              <Input value={text} placeholder={placeholder} onChange={event => setText(event.target.value)} />
            </Field>
            <Button type="submit" kind="primary">
              Filter
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
