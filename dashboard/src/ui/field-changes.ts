/** What changed between two versions of something, field by field. */
export interface FieldChange {
  /** With dots for what is inside: config.host. */
  field: string
  before: unknown
  after: unknown
}

type Values = Record<string, unknown>

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** undefined stands for a field that was not there. Fields that stayed the same are left out. */
export function changesBetween(before: Values | null, after: Values | null, prefix = ''): FieldChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names.flatMap(name => {
    const [was, is] = [before?.[name], after?.[name]]
    if (isSame(was, is)) return []
    const field = prefix + name
    const canOpen = (isValues(was) || was == null) && (isValues(is) || is == null)
    const inside = canOpen ? changesBetween(asValues(was), asValues(is), `${field}.`) : []
    return inside.length > 0 ? inside : [{ field, before: was, after: is }]
  })
}

const asValues = (value: unknown): Values | null => (isValues(value) ? value : null)

/** A value as one would read it aloud. */
export function sayValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (Array.isArray(value) && value.every(each => typeof each !== 'object')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
