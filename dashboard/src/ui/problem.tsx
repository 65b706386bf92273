/** What went wrong, in the API's own words, and what can be done now. */
import { CarillonError } from '@carillon/sdk'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { wordsOf } from '../app/api.ts'
import { Button } from './button.tsx'
import { Id } from './copy.tsx'

export function Problem({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const refusal = error instanceof CarillonError ? error : undefined
  const title =
    refusal?.status === 403
      ? 'You may not see this'
      : refusal?.status === 404
        ? 'This does not exist'
        : 'This did not work'
  const isFinal = refusal?.status === 403 || refusal?.status === 404
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-3 px-4 py-12 text-center">
      <CircleAlert size={24} strokeWidth={1.5} className="text-bad" aria-hidden="true" />
      <div className="min-w-0 max-w-full">
        <p className="text-lg font-semibold">{title}</p>
        <p className="break-words text-muted">{wordsOf(error)}</p>
      </div>
      {onRetry && !isFinal && <Button onClick={onRetry}>Try again</Button>}
      {refusal?.requestId && (
        <p className="flex max-w-full items-center gap-2 text-sm text-muted">
          Request <Id value={refusal.requestId} />
        </p>
      )}
    </div>
  )
}

/** A sentence above a form or a table. */
export function Notice({ tone, children }: { tone: 'ok' | 'info' | 'warn' | 'bad'; children: ReactNode }) {
  const colours = {
    ok: 'bg-ok-soft text-ok',
    info: 'bg-info-soft text-info',
    warn: 'bg-warn-soft text-warn',
    bad: 'bg-bad-soft text-bad',
  }
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`rounded-control px-3 py-2 break-words ${colours[tone]}`}
    >
      {children}
    </div>
  )
}
