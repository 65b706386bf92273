/**
 * The options of a message as they are sent. Attachments are read only now, since most routes have none and a claimed batch
 * of them would not fit into memory; those of one notification are kept for a moment, as many people may get them.
 */
import type { MessageOptions } from '@carillon/contract'
import type { AttachedFile, SendOptions } from '../../content/messages/message.ts'
import type { MessageRoute } from '../../content/messages/message-route.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'

export interface OptionsLoader {
  /** undefined if the route has none. */
  complete(route: MessageRoute): Promise<SendOptions | undefined>
  /** The same without contents, for a simulated notification, which is not stored. */
  preview(route: MessageRoute): Promise<SendOptions | undefined>
}

const REMEMBER_MS = 10_000
/** Of notifications; with the largest attachments, 40 MiB. */
const AT_MOST = 8
const NOTHING = Buffer.alloc(0)

export function createOptionsLoader(pool: Pool): OptionsLoader {
  const files = createMemory<AttachedFile[]>({ forMs: REMEMBER_MS, now: Date.now, atMost: AT_MOST })

  async function withFiles(
    route: MessageRoute,
    filesOf: (listed: Listed) => Promise<AttachedFile[]>,
  ): Promise<SendOptions | undefined> {
    const { options } = route
    if (options === null || options === undefined) return undefined
    const { attachments, cc, bcc, ...rest } = options
    return {
      ...rest,
      ...(await withoutSuppressed(pool, route, { cc, bcc })),
      ...(attachments && { attachments: await filesOf(attachments) }),
    }
  }

  return {
    complete: route =>
      withFiles(route, () =>
        files.get(`${route.tenant_id}:${route.notification_id}`, () => selectFiles(pool, route)),
      ),
    preview: route => withFiles(route, async listed => listed.map(file => ({ ...file, content: NOTHING }))),
  }
}

type Listed = NonNullable<MessageOptions['attachments']>
type Copies = Pick<MessageOptions, 'cc' | 'bcc'>

async function selectFiles(pool: Pool, route: MessageRoute): Promise<AttachedFile[]> {
  const { rows } = await pool.query<AttachedFile>(
    `select filename, content_type, length(content) as bytes, content from attachments
     where tenant_id = $1 and notification_id = $2 order by position`,
    [route.tenant_id, route.notification_id],
  )
  return rows
}

/** Nobody gets a mail twice, and an address that gets nothing more gets no copies either. */
async function withoutSuppressed(pool: Pool, route: MessageRoute, { cc, bcc }: Copies): Promise<Copies> {
  if (cc === undefined && bcc === undefined) return {}
  const { rows } = await pool.query<{ address: string }>(
    `select address from suppressions where tenant_id = $1 and channel = 'email'
       and address = any (select lower(listed) from unnest($2::text[]) listed)`,
    [route.tenant_id, [...(cc ?? []), ...(bcc ?? [])]],
  )
  const taken = new Set([...rows.map(row => row.address), route.resolved_address.toLowerCase()])
  const take = (list: string[] | undefined) =>
    list?.filter(address => !taken.has(address.toLowerCase()) && taken.add(address.toLowerCase()))
  const kept = { cc: take(cc), bcc: take(bcc) }
  return Object.fromEntries(Object.entries(kept).filter(([, list]) => list !== undefined && list.length > 0))
}
