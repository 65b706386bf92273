/** What the capture provider holds, and which message is looked at. */
import type { CapturedMessage, Channel } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'

export const matches = (message: CapturedMessage, text: string): boolean =>
  [message.subject, message.text, message.address, message.recipient_ref, message.notification_type].some(
    part => part.toLowerCase().includes(text.trim().toLowerCase()),
  )

export function useCaptured() {
  const filters = useFilters(['channel', 'notification_id', 'q'])
  const { values } = useFilters(['message'])
  const navigate = useNavigate()
  const { channel, notification_id, q } = filters.values
  const list = useRows<CapturedMessage>(
    ['captured', channel, notification_id],
    (position, options) =>
      api.capturedMessages.list(
        {
          ...position,
          ...(channel && { channel: channel as Channel }),
          ...(notification_id && { notification_id }),
        },
        options,
      ),
    LIVE,
  )
  const rows = list.rows && (q ? list.rows.filter(message => matches(message, q)) : list.rows)
  const listed = list.rows?.find(({ message_id }) => message_id === values.message)
  // A link to an older one: its id begins with that of its notification.
  const older = useQuery({
    queryKey: ['captured', 'message', values.message],
    queryFn: async ({ signal }) => {
      const id = values.message!.split('.')[0]!
      const { data } = await api.capturedMessages.list({ notification_id: id, limit: 100 }, { signal })
      return data.find(({ message_id }) => message_id === values.message) ?? null
    },
    enabled: values.message !== undefined && list.rows !== undefined && listed === undefined,
  })
  return {
    filters,
    list,
    rows,
    /** Chosen by the visitor. */
    chosen: values.message === undefined ? undefined : (listed ?? older.data ?? undefined),
    isChosen: values.message !== undefined,
    isGone: older.data === null,
    /** From the list to a message is a step that Back undoes; from one message to the next is none. */
    choose: (id: string | undefined) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, message: id }),
        replace: values.message !== undefined,
      }),
  }
}
