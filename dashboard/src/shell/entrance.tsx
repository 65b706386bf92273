/** The card in the middle of the screen, for whoever is not inside yet. */
import { BellRing } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePageTitle } from './title.ts'

export function Entrance({
  title,
  lead,
  children,
}: {
  title: string
  lead?: ReactNode
  children: ReactNode
}) {
  usePageTitle(title)
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 px-4 py-12">
      <div className="flex items-center gap-2 text-lg font-semibold">
        <BellRing size={20} className="text-accent" aria-hidden="true" />
        Carillon
      </div>
      <div className="flex flex-col gap-4 rounded-card border border-border bg-surface p-6">
        <div>
          <h1 className="text-xl">{title}</h1>
          {lead && <p className="mt-1 text-muted">{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
