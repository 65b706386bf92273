/** Does something that has no form of its own to show an error in. */
import { wordsOf } from '../app/api.ts'
import { toast } from './toasts.tsx'

export async function attempt(action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    toast(wordsOf(error), { tone: 'bad' })
  }
}
