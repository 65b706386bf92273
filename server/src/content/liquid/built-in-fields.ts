/** What the built-in variables have, so that a misspelt field is found when a text is checked and not when it is sent. */
import type { BUILT_IN_VARIABLES, FieldError } from '@carillon/contract'
import { mistakeIn, type Source } from './source.ts'
import type { Usage } from './usage.ts'

type BuiltIn = (typeof BUILT_IN_VARIABLES)[number]

export const BUILT_IN_FIELDS: Record<BuiltIn, readonly string[]> = {
  branding: [
    'name',
    'logo_url',
    'website_url',
    'primary_color',
    'on_primary_color',
    'link_color',
    'link_color_dark',
    'on_link_color_dark',
    'footer',
  ],
  recipient: ['id', 'address', 'locale', 'timezone', 'direction'],
  notification: ['id', 'type'],
  links: ['unsubscribe', 'preferences'],
  subject: [],
}
/** Of texts, in Liquid. */
const TEXT_FIELDS = ['size']

/** `shadowed` are names that mean something else in this text, such as what is passed to a partial. */
export function findUnknownFields(source: Source, usage: Usage, shadowed: readonly string[]): FieldError[] {
  return usage.fields.flatMap(use => {
    if (!isBuiltIn(use.name) || shadowed.includes(use.name)) return []
    const known = BUILT_IN_FIELDS[use.name]
    if ([...known, ...TEXT_FIELDS].includes(use.field)) return []
    const has = known.length === 0 ? 'is a text' : `has only ${known.join(', ')}`
    const { line, column } = use
    return [
      mistakeIn(source, { line, column }, `"${use.name}.${use.field}" does not exist: ${use.name} ${has}`),
    ]
  })
}

function isBuiltIn(name: string): name is BuiltIn {
  return Object.hasOwn(BUILT_IN_FIELDS, name)
}
