import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { selectNews } from './queries.ts'

const full = useFullDatabase()

/** Twenty people who have seen everything, as most have at any time. */
async function watchers() {
  const { rows } = await full.pool.query('select pg_current_snapshot()::text as seen')
  return Array.from({ length: 20 }, (_, n) => ({
    tenantId: full.tenantId,
    userId: `u${n + 1}`,
    seen: rows[0].seen as string | undefined,
    isNew: false,
  }))
}
const newcomer = async () => [{ ...(await watchers())[0]!, seen: undefined, isNew: true }]

describePlans(full, [
  ['news for connected people', 'notifications_version', async db => selectNews(db, await watchers())],
  [
    'news of receipts for connected people',
    'notification_receipts_version',
    async db => selectNews(db, await watchers()),
  ],
  [
    'the unread count of a connected person',
    'notifications_unread',
    async db => selectNews(db, await newcomer()),
  ],
])
