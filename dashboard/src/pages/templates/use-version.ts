import type { Template, TemplateVersionDetail } from '@carillon/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'

/** A published text. It never changes, so it is asked for once. */
export function useVersion(
  { name, channel, locale }: Template,
  version: number | null | undefined,
): UseQueryResult<TemplateVersionDetail> {
  return useQuery({
    queryKey: ['template-version', name, channel, locale, version],
    queryFn: ({ signal }) => api.templates.version({ name, channel, locale }, version!, { signal }),
    enabled: typeof version === 'number',
    staleTime: Number.POSITIVE_INFINITY,
  })
}
