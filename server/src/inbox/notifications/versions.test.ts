import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { inboxOf } from './inbox.fixture.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)
beforeAll(() => carillon.putUser('ada'))

/** What comes in while it is asked may be in the answer or not; often enough, it is both. */
const ROUNDS = 100

it.each([
  ['lists', async () => '?limit=1'],
  [
    'changes',
    async () => `/changes?since=${encodeURIComponent((await inbox.get('ada', '?limit=1')).body.version)}`,
  ],
])('%s never show a row that their version has not seen', async (_, path) => {
  for (let round = 0; round < ROUNDS; round++) {
    const asked = await path()
    const [answer] = await Promise.all([inbox.get('ada', asked), inbox.add({ last_event_at: new Date() })])
    const { version, data, changed = data } = answer.body
    for (const { id } of changed) {
      const { body } = await inbox.post('ada', '/actions', {
        action: 'done',
        ids: [id],
        seen_version: version,
      })
      expect(body.changed[0].done_at, `round ${round}`).not.toBeNull()
    }
  }
})
