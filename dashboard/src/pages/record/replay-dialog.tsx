/** Says how many would be sent again before it sends them. */
import { useQuery } from '@tanstack/react-query'
import { api, wordsOf } from '../../app/api.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toasts.tsx'

interface ReplayDialogProps {
  notificationId: string
  onClose(): void
  onDone(): Promise<unknown>
}

export function ReplayDialog({ notificationId, onClose, onDone }: ReplayDialogProps) {
  const filter = { notification_id: notificationId }
  const { data, error } = useQuery({
    queryKey: ['dead-letters', 'dry-run', notificationId],
    queryFn: ({ signal }) => api.deadLetters.replayAll({ filter, dry_run: true }, { signal }),
    staleTime: 0,
  })
  const replay = async () => {
    const { replayed, remaining } = await api.deadLetters.replayAll({ filter })
    await onDone()
    toast(
      `${replayed.toLocaleString('en')} ${replayed === 1 ? 'message is' : 'messages are'} tried again${remaining > 0 ? `; ${remaining.toLocaleString('en')} remain, replay once more` : ''}`,
    )
  }
  return (
    <Confirm
      title="Replay what is dead?"
      action="Replay"
      isDangerous={false}
      isOpen
      onClose={onClose}
      onConfirm={replay}
    >
      {error ? (
        <Notice tone="bad">{wordsOf(error)}</Notice>
      ) : data === undefined ? (
        <Skeleton className="h-10 w-full" />
      ) : data.matched === 0 ? (
        'No dead letter of this notification is open: all were replayed or closed already.'
      ) : (
        <>
          {data.matched.toLocaleString('en')} {data.matched === 1 ? 'message is' : 'messages are'} tried again
          from the first attempt. What made {data.matched === 1 ? 'it' : 'them'} fail should be mended first.
        </>
      )}
    </Confirm>
  )
}
