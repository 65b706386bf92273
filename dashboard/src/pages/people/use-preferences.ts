/** A person's preferences beside the tenant's defaults, and one way to change them. */
import type { PreferencesChanges } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { toast } from '../../ui/toasts.tsx'
import { categoryRows } from './preference-words.ts'

export function usePreferences(userId: string) {
  const queryClient = useQueryClient()
  const mayReadTypes = useMay('types:read')
  const [isBusy, setBusy] = useState(false)
  const key = ['preferences', userId]
  const theirs = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.preferences.get(userId, { signal }),
  })
  const defaults = useQuery({
    queryKey: ['preferences', 'of-the-tenant'],
    queryFn: ({ signal }) => api.preferences.getDefaults({ signal }),
  })
  const categories = useQuery({
    queryKey: ['categories', 'all'],
    queryFn: ({ signal }) => api.categories.list({ signal }),
    enabled: mayReadTypes,
  })
  const types = useQuery({
    queryKey: ['notification-types', 'names'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
    enabled: mayReadTypes,
  })
  const change = async (changes: PreferencesChanges) => {
    setBusy(true)
    try {
      queryClient.setQueryData(key, await api.preferences.update(userId, changes))
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }
  const used = [
    ...Object.keys(theirs.data?.categories ?? {}),
    ...Object.keys(defaults.data?.categories ?? {}),
    ...(types.data?.data.map(({ category }) => category) ?? []),
  ]
  return {
    theirs: theirs.data,
    defaults: defaults.data,
    error: theirs.error ?? defaults.error,
    rows: categoryRows(categories.data?.data ?? [], used),
    isBusy,
    change,
    retry: () => {
      void theirs.refetch()
      void defaults.refetch()
    },
  }
}
