/** Changes one after the other: what the server says about one of them never takes back those that came after it. */
import type { PreferencesChanges } from '@carillon/sdk/inbox'
import { withChanges } from './choices.ts'
import type { Settings } from './source.ts'

export interface Saving {
  /** What is stored, as far as the server has said. */
  begin(stored: Settings): void
  /** Shows the change at once; it stays if `store` gives what is stored by then, and goes if that gives undefined. */
  save(changes: PreferencesChanges, store: (stored: Settings) => Promise<Settings | undefined>): Promise<void>
}

export function createSaving(show: (settings: Settings) => void): Saving {
  let stored: Settings
  let waiting: PreferencesChanges[] = []
  let turn: Promise<void> = Promise.resolve()
  const showAll = () => show(waiting.reduce(withChanges, stored))
  return {
    begin(settings) {
      stored = settings
      showAll()
    },
    save(changes, store) {
      waiting.push(changes)
      showAll()
      turn = turn.then(async () => {
        stored = (await store(stored)) ?? stored
        waiting = waiting.filter(each => each !== changes)
        showAll()
      })
      return turn
    },
  }
}
