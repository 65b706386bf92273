/** What a list shows when it has nothing: what this is, and what fills it. */
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Command } from './copy.tsx'

export interface EmptyProps {
  icon?: LucideIcon
  title: string
  text: ReactNode
  /** A command to copy. */
  command?: string
  /** A button. */
  action?: ReactNode
}

export function Empty({ icon: Icon, title, text, command, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-3 px-4 py-12 text-center">
      {Icon && <Icon size={24} strokeWidth={1.5} className="text-muted" aria-hidden="true" />}
      <div>
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-balance text-muted">{text}</p>
      </div>
      {command && <Command text={command} />}
      {action}
    </div>
  )
}
