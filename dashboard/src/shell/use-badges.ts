/** How much waits for an operator. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../app/api.ts'
import { useMay } from '../app/session.tsx'

const EVERY = { refetchInterval: 15_000 } as const

export function useBadges(): { dead_letters: number; system_events: number } {
  const letters = useQuery({
    queryKey: ['dead-letters', 'count'],
    queryFn: ({ signal }) => api.deadLetters.count({}, { signal }),
    enabled: useMay('dead_letters:read'),
    ...EVERY,
  })
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.metrics.overview({ signal }),
    enabled: useMay('metrics:read'),
    ...EVERY,
  })
  return {
    dead_letters: letters.data?.open ?? 0,
    system_events: overview.data?.open_system_events.count ?? 0,
  }
}
