/** A secret that nobody can read again. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Command } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from './problem.tsx'

interface ShownOnceProps {
  /** What it is: "The key of Order service". */
  title: string
  /** Nothing while there is none to show. */
  secret: string | undefined
  onClose(): void
  /** How it is used. */
  children?: ReactNode
}

export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog
      title={title}
      isOpen={secret !== undefined}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <Notice tone="warn">Copy it now and keep it safe. It is not shown again.</Notice>
        <Command text={secret ?? ''} />
        {children}
      </div>
    </Dialog>
  )
}
