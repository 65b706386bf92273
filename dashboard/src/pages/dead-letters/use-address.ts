import type { DeadLetterDetail } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'

/** Where the message went: a letter names the person, its route the address. */
export function useAddress(letter: DeadLetterDetail): string | undefined {
  const { notification_id, route_id } = letter
  const { data } = useQuery({
    queryKey: ['routes', 'of-letter', notification_id, route_id],
    queryFn: async ({ signal }) => {
      const { data: routes } = await api.records.routes(notification_id!, { limit: 100 }, { signal })
      return routes.find(route => route.route_id === route_id)?.resolved_address ?? null
    },
    enabled: useMay('records:read') && notification_id !== null,
    staleTime: 60_000,
  })
  return data ?? undefined
}
