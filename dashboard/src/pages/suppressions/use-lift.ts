/** Lifting a suppression, with a way back. */
import type { Suppression } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { api, wordsOf } from '../../app/api.ts'
import { toast } from '../../ui/toasts.tsx'

export function useLift(): (suppression: Suppression) => Promise<void> {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['suppressions'] })
  const attempt = async (action: () => Promise<unknown>) => {
    try {
      await action()
      await refresh()
      return true
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
      return false
    }
  }
  return async ({ channel, address, detail }) => {
    // What was added by the service comes back as added by hand: the API keeps no other reason for people.
    const undo = () => void attempt(() => api.suppressions.add({ channel, address, detail }))
    if (await attempt(() => api.suppressions.remove(channel, address)))
      toast(`${address} gets messages again.`, { undo })
  }
}
