/** The gate for tenants with a server of their own that says who may see what. */
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import type { Answer, Gate, Question } from './gate.ts'
import { type Postpone, postpone, skip } from './obstacle.ts'

export type AskVisibility = Visibility['ask']

/** Without an answer nothing is sent: what must not be seen cannot be taken back. */
const RETRY_MS = 30_000

interface Asked {
  people: Set<string>
  visible: Promise<Set<string>>
}

/** Routes of one notification that come to the gate together are asked about together. */
export function createVisibilityGate(ask: AskVisibility | undefined): Gate {
  const gathering = new Map<string, Asked>()

  /** Each is asked for itself, so that a server that hangs delays only what is its own. */
  function gather({ route }: Question): Asked {
    const { thread, topic, event_id } = route.about!
    const key = JSON.stringify([route.tenant_id, thread, topic, event_id])
    const known = gathering.get(key)
    if (known !== undefined) return known
    const people = new Set<string>()
    const visible = (async () => {
      await new Promise(resolve => setImmediate(resolve))
      gathering.delete(key)
      if (ask === undefined) throw new Error('this process cannot ask')
      return new Set(await ask(route.tenant_id, { topic, thread, event_id, user_ids: [...people] }))
    })()
    const asked = { people, visible }
    gathering.set(key, asked)
    return asked
  }

  async function answer(question: Question): Promise<Answer> {
    const { user_id } = question.route
    const { people, visible } = gather(question)
    people.add(user_id!)
    try {
      if ((await visible).has(user_id!)) return undefined
    } catch (error) {
      return unknown(error as Error)
    }
    return skip('not_visible', 'The tenant’s own server says that the person may not see it.')
  }

  return question => (question.route.about?.is_checked ? answer(question) : undefined)
}

function unknown({ message }: Error): Postpone {
  const text = `The tenant’s own server did not say whether the person may see it: ${message}`
  return postpone('visibility_unknown', text, RETRY_MS)
}
