import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, wordsOf } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

/** Invitations that nobody has accepted yet; without any, there is nothing to see. */
export function InvitationList({ mayChange }: { mayChange: boolean }) {
  const queryClient = useQueryClient()
  const { data } = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => api.invitations.list({ signal }),
  })
  if (data === undefined || data.data.length === 0) return null
  const withdraw = async (id: string, email: string) => {
    try {
      await api.invitations.delete(id)
      toast(`The invitation for ${email} no longer works.`)
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
    await queryClient.invalidateQueries({ queryKey: ['invitations'] })
  }
  return (
    <Card title="Invitations" isFlush>
      <ul>
        {data.data.map(({ id, email, role, expires_at }) => (
          <li
            key={id}
            className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-1.5 last:border-0"
          >
            <span className="cut min-w-0 flex-1 basis-48">{email}</span>
            <Chip>{role}</Chip>
            <span className="text-sm text-muted">
              Expires <Time value={expires_at} />
            </span>
            <Button
              size="small"
              kind="quiet"
              refusal={!mayChange && 'Only owners and admins withdraw invitations.'}
              onClick={() => withdraw(id, email)}
            >
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
