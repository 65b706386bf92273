/** The names of API keys, for those who may read them; others see ids. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../app/api.ts'
import { useMay } from '../app/session.tsx'

export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['api-keys', 'names'],
    queryFn: ({ signal }) => api.apiKeys.list({ limit: 100 }, { signal }),
    enabled: useMay('api_keys:read'),
    staleTime: 60_000,
  })
  return new Map(data?.data.map(({ id, name }) => [id, name]))
}
