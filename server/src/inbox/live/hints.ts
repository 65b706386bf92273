/** What one process tells the others about inboxes that have changed; only a hint, since everybody polls too. */

/** PostgreSQL takes no more than 8000 bytes at once. */
const MAX_BYTES = 7000
/** With more people, whoever is connected of the tenant looks, which is fewer than all who were notified. */
const MAX_PEOPLE = 200

export interface InboxHint {
  tenantId: string
  /** undefined: anybody of the tenant. */
  userIds: string[] | undefined
}

/** `userIds` null: those of the whole tenant. */
export function writeHints(tenantId: string, userIds: string[] | null): string[] {
  if (userIds === null || userIds.length > MAX_PEOPLE) return [JSON.stringify([tenantId])]
  const hints: string[] = []
  let people: string[] = []
  let bytes = 0
  for (const userId of userIds) {
    const size = Buffer.byteLength(JSON.stringify(userId)) + 1
    if (bytes + size > MAX_BYTES) {
      hints.push(JSON.stringify([tenantId, ...people]))
      people = []
      bytes = 0
    }
    people.push(userId)
    bytes += size
  }
  return people.length === 0 ? hints : [...hints, JSON.stringify([tenantId, ...people])]
}

/** undefined: anybody anywhere. */
export function readHint(text: string): InboxHint | undefined {
  if (text === '') return undefined
  const [tenantId = '', ...userIds] = JSON.parse(text) as string[]
  return { tenantId, userIds: userIds.length === 0 ? undefined : userIds }
}
