/** What few need, one click away. */
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

interface FoldProps {
  title: ReactNode
  /** Beside the title while it is closed: what is inside in a few words. */
  summary?: ReactNode
  isOpen?: boolean
  children: ReactNode
}

export function Fold({ title, summary, isOpen = false, children }: FoldProps) {
  return (
    <details open={isOpen} className="group min-w-0 rounded-card border border-border bg-surface">
      <summary className="flex min-h-9 list-none items-center gap-2 rounded-control px-3 hover:bg-hover">
        <ChevronRight
          size={14}
          aria-hidden="true"
          className="shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <span className="font-medium whitespace-nowrap">{title}</span>
        {summary && <span className="cut min-w-0 text-muted group-open:hidden">{summary}</span>}
      </summary>
      <div className="flex min-w-0 flex-col gap-4 border-t border-border p-3">{children}</div>
    </details>
  )
}
