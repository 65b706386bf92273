/** A part of a long form: what it is about at the left, its fields at the right. */
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  about?: ReactNode
  /** Short fields beside each other, where there is room. */
  isDense?: boolean
  children: ReactNode
}

export function Section({ title, about, isDense = false, children }: SectionProps) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-b border-border p-4 last:border-0 md:grid-cols-[minmax(0,14rem)_minmax(0,1fr)] md:p-6">
      <div>
        <h2 className="text-lg">{title}</h2>
        {about && <p className="mt-1 text-sm text-muted">{about}</p>}
      </div>
      <div
        className={
          isDense
            ? 'grid min-w-0 max-w-2xl items-start gap-4 md:grid-cols-2'
            : 'flex min-w-0 max-w-2xl flex-col gap-4'
        }
      >
        {children}
      </div>
    </section>
  )
}
