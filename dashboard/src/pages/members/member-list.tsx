import type { KeyRole, Member } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { ROLE_NAMES, ROLES } from './roles.ts'

export function MemberList({ members, mayChange }: { members: Member[]; mayChange: boolean }) {
  const { account, role: ownRole } = useSession()
  const queryClient = useQueryClient()
  const [leaving, setLeaving] = useState<Member>()
  const changeRole = async (member: Member, role: KeyRole) => {
    try {
      await api.members.update(member.account_id, { role })
      toast(`${nameOf(member)} is now ${role}.`)
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
    await queryClient.invalidateQueries({ queryKey: ['members'] })
    if (member.account_id === account?.id) await queryClient.invalidateQueries({ queryKey: ['session'] })
  }
  return (
    <ul>
      {members.map(member => (
        <li
          key={member.account_id}
          className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-2 border-b border-border px-4 py-2 last:border-0 md:gap-x-4"
        >
          <div className="min-w-0 flex-1 basis-full md:basis-48">
            <p className="cut font-medium">
              {nameOf(member)} {member.account_id === account?.id && <Chip>you</Chip>}
            </p>
            {member.name !== '' && <p className="cut text-sm text-muted">{member.email}</p>}
          </div>
          <span className="text-sm text-muted max-md:flex-1">
            {member.last_seen_at === null ? (
              'Not seen yet'
            ) : (
              <>
                Seen <Time value={member.last_seen_at} />
              </>
            )}
          </span>
          <Select
            aria-label={`Role of ${nameOf(member)}`}
            value={member.role}
            title={ROLES[member.role]}
            disabled={!mayChange || (member.role === 'owner' && ownRole !== 'owner')}
            onChange={event => void changeRole(member, event.target.value as KeyRole)}
            className="w-28! md:w-32!"
          >
            {ROLE_NAMES.map(role => (
              <option key={role} value={role} disabled={role === 'owner' && ownRole !== 'owner'}>
                {role}
              </option>
            ))}
          </Select>
          <Button
            size="small"
            kind="quiet"
            refusal={!mayChange && 'Only owners and admins remove people.'}
            onClick={() => setLeaving(member)}
          >
            Remove
          </Button>
        </li>
      ))}
      {leaving && (
        <Confirm
          isOpen
          title={`Remove ${nameOf(leaving)}?`}
          action="Remove"
          onClose={() => setLeaving(undefined)}
          onConfirm={async () => {
            await api.members.delete(leaving.account_id)
            await queryClient.invalidateQueries({ queryKey: ['members'] })
            toast(`${nameOf(leaving)} was removed.`)
          }}
        >
          They are signed out of this tenant at once. What they did stays in the audit log.
        </Confirm>
      )}
    </ul>
  )
}

const nameOf = ({ name, email }: Member): string => name || email || 'The first owner'
