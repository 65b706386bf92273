/** The wings of server/src, from the ground up: each may import from those before it, never from those after. */
export const WINGS = [
  'platform',
  'oversight',
  'content',
  'people',
  'inbox',
  'reactions',
  'providers',
  'delivery',
  'planning',
  'intake',
  'events',
  'automation',
  'operations',
]

/** Above all wings: the command line, the roles and the wiring may import everything. */
export const ROOF = ['cli', 'generate', 'roles']

/** The wing of a file below server/src; undefined for files directly in it and for those elsewhere. */
export function wingOf(path) {
  return /^server\/src\/([^/]+)\//.exec(path ?? '')?.[1]
}

/** The room: a folder of a wing, or a folder of the roof. */
export function roomOf(path) {
  const [wing, room, ...rest] = (path ?? '').replace(/^server\/src\//, '').split('/')
  if (!path?.startsWith('server/src/') || room === undefined) return undefined
  return rest.length === 0 || ROOF.includes(wing) ? wing : `${wing}/${room}`
}
