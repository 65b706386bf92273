/** The templates of one name belong together, whatever their channels and languages are. */
import type { TemplateSummary } from '@carillon/contract'

export interface Group {
  name: string
  members: TemplateSummary[]
  updated_at: string
}

export function groupByName(templates: TemplateSummary[]): Group[] {
  const groups = new Map<string, Group>()
  for (const template of templates) {
    const { name, updated_at } = template
    const group = groups.get(name) ?? { name, members: [], updated_at }
    group.members.push(template)
    if (updated_at > group.updated_at) group.updated_at = updated_at
    groups.set(name, group)
  }
  return [...groups.values()]
}

/** Of all members together: what is not as it should be comes first. */
export function sayState({ members }: { members: TemplateSummary[] }): { status: string; label: string } {
  const of = (count: number) => (members.length === count ? '' : `${count} `)
  const off = members.filter(({ is_active }) => !is_active).length
  if (off > 0) return { status: 'inactive', label: `${of(off)}off` }
  const drafts = members.filter(({ published_version }) => published_version === null).length
  if (drafts > 0) return { status: 'draft', label: drafts === members.length ? 'draft' : `${drafts} draft` }
  return { status: 'published', label: 'published' }
}
