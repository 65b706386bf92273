/** The message of a route, as it was sent or would be. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { addressOf } from '../../shell/addresses.ts'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { MessageView } from '../../ui/message-view.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import type { ExplainedRoute } from './route-lane.tsx'

interface MessageSheetProps {
  notificationId: string
  route: Pick<ExplainedRoute, 'route_id' | 'channel'>
  onClose(): void
}

export function MessageSheet({ notificationId, route, onClose }: MessageSheetProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['records', notificationId, 'message', route.route_id],
    queryFn: ({ signal }) =>
      api.routes.message({ notification_id: notificationId, route_id: route.route_id }, { signal }),
  })
  return (
    <Dialog title={`${CHANNEL_NAMES[route.channel]} message`} isOpen isSheet onClose={onClose}>
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <div className="flex flex-col gap-4">
          {data.note && <Notice tone="info">{data.note}</Notice>}
          <MessageView message={data} />
          <p className="text-sm text-muted">
            {data.is_exact ? 'This is what was captured.' : 'Rendered now from what was kept.'}
            {data.template && (
              <>
                {' '}
                Version {data.template.version} of the template{' '}
                <TextLink
                  to={addressOf('template', `${data.template.name}/${data.channel}/${data.template.locale}`)}
                >
                  {data.template.name}
                </TextLink>{' '}
                ({data.template.locale}).
              </>
            )}
          </p>
        </div>
      )}
    </Dialog>
  )
}
