/** Inboxes for tests: rows of people and rows for everybody, and calls as one person. */
import type { Answer, TestCarillon } from '../../../test/carillon.ts'

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
    /** An event of a thread, for these people. */
    event: (id: number, people: string[], item: object = {}, passing = people.map(() => false)) =>
      carillon.pool.query('select upsert_inbox($1, $2, $3, $4, $5)', [
        carillon.tenantId,
        people,
        people.map(() => 'subscribed'),
        passing,
        JSON.stringify({ source_event_id: id, kind: 'k', title: `event ${id}`, ...item }),
      ]),
  }
}
