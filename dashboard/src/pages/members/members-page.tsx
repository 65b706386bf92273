/** Who operates this tenant, and who is invited to. */
import { useQuery } from '@tanstack/react-query'
import { UserPlus, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberList } from './member-list.tsx'

export default function MembersPage() {
  const [isInviting, setInviting] = useState(false)
  const mayInvite = useMay('api_keys:write')
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => api.members.list({ signal }),
  })
  const invite = (kind: 'primary' | 'secondary') => (
    <Button
      kind={kind}
      refusal={!mayInvite && 'Only owners and admins invite people.'}
      onClick={() => setInviting(true)}
    >
      <UserPlus size={14} aria-hidden="true" />
      Invite
    </Button>
  )
  return (
    <Page
      title="Members"
      lead="The people who operate this tenant. Applications have API keys instead."
      actions={invite('primary')}
    >
      <Card title="People" isFlush>
        {members.error ? (
          <Problem error={members.error} onRetry={() => void members.refetch()} />
        ) : members.data === undefined ? (
          <div className="p-4">
            <Skeleton className="h-24 w-full" />
          </div>
        ) : members.data.data.length === 0 ? (
          <Empty
            icon={UsersRound}
            title="Nobody has an account here yet"
            text="You are signed in with an API key. People who are invited sign in with a password of their own, and stand in the audit log by their name."
            command="npx carillon accounts create ada@example.com --role owner"
            action={invite('secondary')}
          />
        ) : (
          <MemberList members={members.data.data} mayChange={mayInvite} />
        )}
      </Card>
      <InvitationList mayChange={mayInvite} />
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
    </Page>
  )
}
