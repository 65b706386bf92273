import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, wordsOf } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

export function SessionList() {
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => api.sessions.list({ signal }),
  })
  const end = async (ending: Promise<void>, text: string) => {
    try {
      await ending
      toast(text)
    } catch (thrown) {
      toast(wordsOf(thrown), { tone: 'bad' })
    }
    await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  }
  const hasOthers = data?.data.some(({ current }) => !current) ?? false
  return (
    <Card
      title="Where you are signed in"
      isFlush
      actions={
        hasOthers && (
          <Button
            size="small"
            onClick={() => end(api.sessions.deleteOthers(), 'All other sessions have ended.')}
          >
            Sign out everywhere else
          </Button>
        )
      }
    >
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div className="p-4">
          <Skeleton className="h-16 w-full" />
        </div>
      ) : (
        <ul>
          {data.data.map(({ id, device, ip_address, last_seen_at, created_at, current }) => (
            <li
              key={id}
              className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-2 last:border-0"
            >
              <div className="min-w-0 flex-1 basis-48">
                <p className="cut font-medium">
                  {device} {current && <Chip tone="ok">this one</Chip>}
                </p>
                <p className="cut text-sm text-muted">
                  {ip_address ?? 'Unknown address'}, since <Time value={created_at} />
                </p>
              </div>
              <span className="text-sm text-muted">
                Seen <Time value={last_seen_at} />
              </span>
              {!current && (
                <Button
                  size="small"
                  kind="quiet"
                  onClick={() => end(api.sessions.delete(id), 'That session has ended.')}
                >
                  Sign out
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
