import type { Provider, ProviderKindInfo } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { attempt } from '../../ui/attempt.ts'
import { toast } from '../../ui/toasts.tsx'

export const useKinds = () =>
  useQuery({
    queryKey: ['provider-kinds'],
    queryFn: ({ signal }) => api.providers.kinds({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ data }) => data,
  })

export const kindTitle = (kinds: ProviderKindInfo[] | undefined, name: string): string =>
  kinds?.find(kind => kind.name === name)?.title ?? name

export const refreshProviders = () => queryClient.invalidateQueries({ queryKey: ['providers'] })

export function switchProvider({ id, name }: Provider, isActive: boolean): Promise<void> {
  const change = (is_active: boolean) => api.providers.update(id, { is_active }).then(refreshProviders)
  return attempt(async () => {
    await change(isActive)
    toast(isActive ? `${name} is switched on.` : `${name} is switched off; messages go to the next one.`, {
      undo: () => void attempt(() => change(!isActive)),
    })
  })
}
