/** People by what one knows of them: the API finds ids, addresses and usernames as a whole. */
import type { Page, User } from '@carillon/contract'
import { api, isProblem } from '../../app/api.ts'

interface Position {
  cursor?: string | undefined
  limit?: number
}

export async function findPeople(
  text: string | undefined,
  position: Position,
  options: { signal?: AbortSignal },
): Promise<Page<User>> {
  if (text === undefined) return api.users.list(position, options)
  const query = text.includes('@') ? { email: text } : { username: text }
  const [byId, named] = await Promise.all([
    byIdOf(text, options),
    api.users.list({ ...query, ...position }, options),
  ])
  // The one with this id stands first, on the first page.
  const isFirst = position.cursor === undefined
  const others = named.data.filter(({ id }) => id !== byId?.id)
  return { ...named, data: isFirst && byId ? [byId, ...others] : others }
}

async function byIdOf(id: string, options: { signal?: AbortSignal }): Promise<User | undefined> {
  try {
    return await api.users.get(id, options)
  } catch (error) {
    if (isProblem(error, 404) || isProblem(error, 400)) return undefined
    throw error
  }
}
