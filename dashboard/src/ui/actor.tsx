import type { AuditLog } from '@carillon/contract'
import { KeyRound } from 'lucide-react'
import { sayActor } from './audit-words.ts'
import { Person } from './recipient.tsx'

/** Who did it, as well as one can say it: the person of the key, a member, the key by its name, or Carillon itself. */
export function Actor({ row, keys }: { row: AuditLog; keys: ReadonlyMap<string, string> }) {
  if (row.user_id !== null) return <Person userId={row.user_id} />
  const name = row.api_key_id === null ? undefined : keys.get(row.api_key_id)
  if (name !== undefined)
    return (
      <span title={`API key ${row.api_key_id}`} className="inline-flex max-w-full items-baseline gap-1.5">
        <KeyRound size={12} aria-label="API key" className="shrink-0 self-center text-muted" />
        <span className="cut">{name}</span>
      </span>
    )
  const isCarillon = row.api_key_id === null && row.account_email === null
  return <span className={isCarillon ? 'text-muted' : ''}>{sayActor(row)}</span>
}
