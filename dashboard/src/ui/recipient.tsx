/** To whom something goes: a person, who has a page, or a bare address. */
import { addressOf } from '../shell/addresses.ts'
import { TextLink } from './text-link.tsx'

export interface RecipientRef {
  userId?: string
  name: string
}

/** Of user:ada or address:ada@example.com. */
export function readRecipient(ref: string): RecipientRef {
  const [, kind, rest] = ref.match(/^(user|address):(.*)$/s) ?? []
  if (kind === 'user') return { userId: rest!, name: rest! }
  return { name: rest ?? ref }
}

export function Recipient({ value, className }: { value: string; className?: string }) {
  const { userId, name } = readRecipient(value)
  if (userId === undefined)
    return (
      <bdi className={className} title={name}>
        {name}
      </bdi>
    )
  return <Person userId={userId} {...(className && { className })} />
}

export function Person({ userId, className }: { userId: string; className?: string }) {
  return (
    <TextLink to={addressOf('user', userId)} title={userId} className={className ?? ''}>
      <bdi>{userId}</bdi>
    </TextLink>
  )
}
