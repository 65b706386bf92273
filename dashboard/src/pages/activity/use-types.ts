import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'

/** The catalog, for choices and suggestions; undefined while it loads or if one may not read it. */
export function useTypes() {
  return useQuery({
    queryKey: ['notification-types'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
    enabled: useMay('types:read'),
    staleTime: 60_000,
  }).data?.data
}
