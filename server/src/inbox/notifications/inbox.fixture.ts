/** Inboxes for tests: rows of people and rows for everybody, and calls as one person. */
import type { Answer, TestCarillon } from '../../../test/carillon.ts'
import type { Executor } from '../../platform/database/pool.ts'

export interface RowInput {
  user?: string | null
  title?: string
  [column: string]: unknown
}

export function inboxOf(carillon: TestCarillon) {
  /** Puts rows into the table as they are, and gives their ids. */
  async function add(...rows: RowInput[]): Promise<string[]> {
    const ids: string[] = []
    for (const { user = 'ada', title = 'T', ...columns } of rows) {
      const all = { tenant_id: carillon.tenantId, user_id: user, type: 't', title, message: 'm', ...columns }
      const names = Object.keys(all)
      const { rows: written } = await carillon.pool.query(
        `insert into notifications (id, ${names.join(', ')})
         values (uuid_v7(), ${names.map((_, i) => `$${i + 1}`).join(', ')}) returning id`,
        Object.values(all),
      )
      ids.push(written[0].id)
    }
    return ids
  }
  const as = (user: string, path: string) =>
    `/v1/inbox${path}${path.includes('?') ? '&' : '?'}user_id=${encodeURIComponent(user)}`
  return {
    add,
    get: (user: string, path = '', headers: Record<string, string> = {}): Promise<Answer> =>
      carillon.request('GET', as(user, path), { headers }),
    post: (user: string, path: string, body: object = {}): Promise<Answer> =>
      carillon.request('POST', as(user, path), { body }),
    async list(user: string, q = '', limit = 100) {
      return carillon.readAll(as(user, `?q=${encodeURIComponent(q)}`), limit)
    },
    async titles(user: string, q = ''): Promise<string[]> {
      return (await this.list(user, q)).map(item => item.title)
    },
    async unread(user: string): Promise<number> {
      return (await this.get(user, '/unread-count')).body.unread
    },
    clear: () => carillon.pool.query('delete from notifications'),
    /** Rows of topic 0 and topic 1 in turn. */
    addMany: (user: string | null, count: number) =>
      carillon.pool.query(
        `insert into notifications (id, tenant_id, user_id, type, title, message, topic)
         select uuid_v7(), $1, $2, 't', 'T', 'm', 'topic ' || n % 2 from generate_series(1, $3::integer) n`,
        [carillon.tenantId, user, count],
      ),
    /** Makes every row expire. */
    async expire(at = new Date(Date.now() - 1000)) {
      await carillon.pool.query('update notifications set expires_at = $1', [at])
    },
    /** Makes the time of every snooze pass. */
    async endSnoozes() {
      for (const table of ['notifications', 'notification_receipts'])
        await carillon.pool.query(
          `update ${table} set snoozed_until = now() - interval '1 second' where snoozed_until is not null`,
        )
    },
    /** Leaves what a restore leaves in the database. */
    restore: () =>
      carillon.pool.query(
        `insert into restores (backup_id, decision, decided_at, created_at) values ('b', 'released', now(), clock_timestamp())`,
      ),
    /** An event of a thread, for these people; `isPassing`: it passes their mutes. */
    async event(
      id: number,
      people: string[],
      item: object = {},
      { isPassing = false, db = carillon.pool }: { isPassing?: boolean; db?: Executor } = {},
    ): Promise<void> {
      await db.query('select upsert_inbox($1, $2, $3, $4, $5)', [
        carillon.tenantId,
        people,
        people.map(() => 'subscribed'),
        people.map(() => isPassing),
        JSON.stringify({ source_event_id: id, kind: 'k', title: `event ${id}`, ...item }),
      ])
    },
  }
}
