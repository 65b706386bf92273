/** Two processes that start at once on an empty database. */
import { freePort } from '../../../server/test/free-port.ts'
import { countOne } from '../../kill-rounds/database.ts'
import type { FaultKind } from '../kind.ts'
import { untilAcknowledged } from '../progress.ts'

export const twoStarts: FaultKind = {
  name: 'two-starts',
  what: 'two processes start at once on an empty database',
  async start(stage) {
    const port = String(await freePort())
    await Promise.all([stage.run(), stage.run({ settings: { PORT: port } })])
  },
  async inject(stage) {
    await untilAcknowledged(stage, 60)
    return 1
  },
  async check(stage) {
    const made = await countOne<{ tenants: number; keys: number }>(
      stage.resultsUrl(),
      'select (select count(*) from tenants)::integer as tenants, (select count(*) from api_keys)::integer as keys',
    )
    return made.tenants === 1 && made.keys === 1 ? [] : [`created: ${JSON.stringify(made)}`]
  },
}
