/** Layouts and partials, which all templates of a tenant may use. */
import {
  BUILT_IN_VARIABLES,
  type FieldError,
  type TemplatePart,
  type TemplatePartChanges,
  type TemplatePartKind,
} from '@carillon/contract'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { findUnknownFields } from '../liquid/built-in-fields.ts'
import { invalidTemplate, mistakeIn, parseOrRefuse, type Source } from '../liquid/source.ts'
import { createTemplateEngine } from '../liquid/template-engine.ts'
import { findUsage, type Usage } from '../liquid/usage.ts'
import { DEFAULT_LAYOUT } from './default-layout.ts'
import {
  deleteTemplatePart,
  selectTemplateParts,
  type TemplatePartRow,
  upsertTemplatePart,
} from './queries.ts'

/** Sources by name. */
export interface Parts {
  layouts: Map<string, Source>
  partials: Map<string, Source>
}

export const DEFAULT_LAYOUT_NAME = 'default'
const MAX_PARTS = 200
const engine = createTemplateEngine('plain')

export async function listTemplateParts(db: Executor, tenantId: string): Promise<TemplatePart[]> {
  const parts = (await selectTemplateParts(db, tenantId)).map(toTemplatePart)
  const hasDefault = parts.some(({ kind, name }) => kind === 'layout' && name === DEFAULT_LAYOUT_NAME)
  return hasDefault ? parts : [BUILT_IN, ...parts]
}

export interface PartKey {
  kind: TemplatePartKind
  name: string
}

export async function findTemplatePart(
  db: Executor,
  tenantId: string,
  { kind, name }: PartKey,
): Promise<TemplatePart | undefined> {
  return (await listTemplateParts(db, tenantId)).find(part => part.kind === kind && part.name === name)
}

export async function loadParts(db: Executor, tenantId: string): Promise<Parts> {
  const parts = await listTemplateParts(db, tenantId)
  const sources = (kind: TemplatePartKind, field: string) =>
    new Map(
      parts
        .filter(part => part.kind === kind)
        .map(({ name, source }) => [name, { field, part: `${kind} "${name}"`, text: source }]),
    )
  return { layouts: sources('layout', 'layout'), partials: sources('partial', 'body') }
}

export async function putTemplatePart(
  db: Executor,
  tenantId: string,
  part: Omit<TemplatePartRow, 'updated_at'>,
): Promise<TemplatePart> {
  const errors = findPartMistakes(part.kind, part.source)
  if (errors.length > 0) throw invalidTemplate(errors)
  const others = await selectTemplateParts(db, tenantId)
  const isNew = !others.some(({ kind, name }) => kind === part.kind && name === part.name)
  if (isNew && others.length >= MAX_PARTS)
    throw new Refusal('invalid_request', `A tenant has at most ${MAX_PARTS} layouts and partials.`)
  return toTemplatePart(await upsertTemplatePart(db, tenantId, part))
}

/** Unlike putTemplatePart, it creates nothing, except in place of the built-in layout. */
export async function changeTemplatePart(
  tx: Client,
  tenantId: string,
  key: PartKey,
  { source }: TemplatePartChanges,
): Promise<TemplatePart> {
  const part = await findTemplatePart(tx, tenantId, key)
  if (part === undefined) throw noPart(key)
  return source === undefined ? part : putTemplatePart(tx, tenantId, { ...key, source })
}

/** Returns what was removed. */
export async function removeTemplatePart(
  db: Executor,
  tenantId: string,
  key: PartKey,
): Promise<TemplatePart> {
  const row = await deleteTemplatePart(db, tenantId, key.kind, key.name)
  if (row === undefined) throw noPart(key)
  return toTemplatePart(row)
}

export const noPart = ({ kind, name }: PartKey): Refusal => notFound(`${kind} "${name}"`)

/** The mistakes that can be found before a template uses the part. */
function findPartMistakes(kind: TemplatePartKind, text: string): FieldError[] {
  const source: Source = { field: 'source', text }
  const usage = parseOrRefuse(source, () => findUsage(engine, text))
  const errors = findCallMistakes(source, usage)
  if (kind === 'partial') return errors
  const contents = text.match(/\{\{-?\s*content\s*-?\}\}/g) ?? []
  if (contents.length !== 1)
    errors.push({
      field: 'source',
      message: 'a layout must have {{ content }} exactly once, where the body goes',
    })
  errors.push(...findUnknownFields(source, usage, []))
  const known: string[] = ['content', ...BUILT_IN_VARIABLES]
  for (const variable of usage.variables) {
    if (!known.includes(variable.name))
      errors.push(
        mistakeIn(source, variable, `a layout can use only ${known.join(', ')}, not "${variable.name}"`),
      )
  }
  return errors
}

/** Calls that could not work with any partial. */
export function findCallMistakes(source: Source, usage: Usage): FieldError[] {
  return usage.parts.flatMap(call => {
    if (call.name === undefined)
      return [mistakeIn(source, call, "the name of a partial must be written out: {% render 'name' %}")]
    if (call.lacksAlias)
      return [
        mistakeIn(source, call, `name the variable with "as": {% render '${call.name}' for items as item %}`),
      ]
    return []
  })
}

export function toTemplatePart(row: TemplatePartRow): TemplatePart {
  return { ...row, is_built_in: false, updated_at: row.updated_at.toISOString() }
}

const BUILT_IN: TemplatePart = {
  kind: 'layout',
  name: DEFAULT_LAYOUT_NAME,
  source: DEFAULT_LAYOUT,
  is_built_in: true,
  updated_at: null,
}
