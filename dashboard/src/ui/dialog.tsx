/** Dialogs, sheets, and the question before something that cannot be undone. */
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { wordsOf } from '../app/api.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Field, Input } from './field.tsx'
import { Notice } from './problem.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose(): void
  /** At the side and as high as the page, for things to look at beside the list. */
  isSheet?: boolean
  isWide?: boolean
  footer?: ReactNode
  children: ReactNode
}

const MIDDLE = 'top-[8vh] left-1/2 max-h-[84vh] w-[calc(100vw-2rem)] -translate-x-1/2 rounded-card'
const SIDE = 'inset-y-0 right-0 w-[min(34rem,100vw)] border-y-0 border-r-0'

/** What is to be filled in, or the dialog itself: never the cross, which would show its hint at once. */
function focusFirstField(event: Event): void {
  const dialog = event.currentTarget as HTMLElement
  const field = dialog.querySelector<HTMLElement>('[data-dialog-body] :is(input, select, textarea)')
  event.preventDefault()
  ;(field ?? dialog).focus()
}

export function Dialog({ title, isOpen, onClose, isSheet, isWide, footer, children }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={open => open || onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirstField}
          className={classes(
            'fixed z-50 flex flex-col border border-border bg-surface shadow-popover outline-none',
            isSheet ? SIDE : MIDDLE,
            !isSheet && (isWide ? 'max-w-4xl' : 'max-w-lg'),
          )}
        >
          <div className="flex items-center justify-between gap-3 border-b border-border py-1.5 pr-2 pl-4">
            <Radix.Title className="min-w-0 py-1 text-lg break-words">{title}</Radix.Title>
            {/* No hint: it would open with the dialog, which begins with this button, and take the first Esc for itself. */}
            <Button kind="quiet" size="icon" aria-label="Close" onClick={onClose}>
              <X size={16} />
            </Button>
          </div>
          <div data-dialog-body className="min-h-0 flex-1 overflow-y-auto p-4">
            {children}
          </div>
          {footer && <div className="flex justify-end gap-2 border-t border-border px-4 py-3">{footer}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmProps {
  /** A question that names the object: "Delete the provider ses-eu?" */
  title: string
  /** The consequence. */
  children: ReactNode
  /** The verb: "Delete". */
  action: string
  /** What the other button says, where Cancel could be taken for the action. */
  dismiss?: string
  isDangerous?: boolean
  /** Has to be typed, where thousands of rows go. */
  typed?: string
  isWide?: boolean
  isOpen: boolean
  onClose(): void
  onConfirm(): Promise<unknown>
}

export function Confirm({
  title,
  children,
  action,
  dismiss = 'Cancel',
  isDangerous = true,
  typed,
  isWide = false,
  isOpen,
  onClose,
  onConfirm,
}: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [text, setText] = useState('')
  const close = () => {
    setProblem(undefined)
    setText('')
    onClose()
  }
  const confirm = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onConfirm()
      close()
    } catch (error) {
      setProblem(wordsOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={close}
      isWide={isWide}
      footer={
        <>
          <Button onClick={close}>{dismiss}</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabled={typed !== undefined && text !== typed}
            onClick={confirm}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {problem && <Notice tone="bad">{problem}</Notice>}
        <div className="break-words">{children}</div>
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`}>
            <Input value={text} onChange={event => setText(event.target.value)} autoComplete="off" />
          </Field>
        )}
      </div>
    </Dialog>
  )
}
