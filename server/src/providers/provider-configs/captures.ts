/** Whether messages of a channel stay here. */
import type { Channel } from '@carillon/contract'
import type { ProviderDirectory } from './directory.ts'

/** Asks anew, and not what is remembered: a provider may have been set up a moment ago. */
export function capturesBy(directory: Pick<ProviderDirectory, 'peekCandidates' | 'forget'>) {
  return async (tenantId: string, channel: Channel): Promise<boolean> => {
    directory.forget(tenantId)
    const candidates = await directory.peekCandidates(tenantId, channel)
    // Whatever somebody set up has an id; the built-in provider, which captures, has none.
    return candidates.every(({ id }) => id === '')
  }
}
