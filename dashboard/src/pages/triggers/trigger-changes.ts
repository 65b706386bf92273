import type { Trigger } from '@carillon/contract'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { attempt } from '../../ui/attempt.ts'
import { toast } from '../../ui/toasts.tsx'

export const refreshTriggers = () => queryClient.invalidateQueries({ queryKey: ['triggers'] })

export function switchTrigger({ id, name }: Trigger, isEnabled: boolean): Promise<void> {
  const change = (is_enabled: boolean) => api.triggers.update(id, { is_enabled }).then(refreshTriggers)
  return attempt(async () => {
    await change(isEnabled)
    toast(isEnabled ? `${name} is switched on.` : `${name} is switched off.`, {
      undo: () => void attempt(() => change(!isEnabled)),
    })
  })
}
