/** The frame of every page: a title with its status and actions, then cards. */
import type { ReactNode } from 'react'
import { usePageTitle } from '../shell/title.ts'
import { classes } from './classes.ts'

interface PageProps {
  title: string
  /** Beside the title: a status, an id. */
  about?: ReactNode
  /** One sentence on what this page is for. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, about, lead, actions, children }: PageProps) {
  usePageTitle(title)
  return (
    <div className="mx-auto flex w-full max-w-[90rem] flex-col gap-4 p-4 md:p-6">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="max-w-full min-w-0 md:flex-1 md:basis-72">
          <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 text-xl break-words">{title}</h1>
            {about}
          </div>
          {lead && <p className="max-w-[46rem] break-words text-muted">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  title?: ReactNode
  actions?: ReactNode
  /** Without padding, for tables and editors that reach the border. */
  isFlush?: boolean
  className?: string
  children: ReactNode
}

export function Card({ title, actions, isFlush = false, className, children }: CardProps) {
  return (
    <section className={classes('min-w-0 rounded-card border border-border bg-surface', className)}>
      {(title || actions) && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-border px-4 py-1.5">
          <h2 className="min-w-0 py-1 text-lg">{title}</h2>
          {actions && <div className="flex items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={isFlush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}

/** The story on the left, the facts on the right; below each other where there is no room. */
export function Columns({ main, aside }: { main: ReactNode; aside: ReactNode }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">{main}</div>
      <aside className="flex min-w-0 flex-col gap-4">{aside}</aside>
    </div>
  )
}

export type Fact = [label: string, value: ReactNode] | false | undefined | null

/** Keys and values. Those without a value are not shown. */
export function Facts({ facts }: { facts: Fact[] }) {
  const shown = facts.filter(fact => fact && fact[1] != null && fact[1] !== false && fact[1] !== '')
  return (
    <dl className="grid grid-cols-[minmax(5.5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-2">
      {(shown as [string, ReactNode][]).map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
