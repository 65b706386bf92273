/** Checks fields, syntax, variables, partials and translations of a template, and reports all mistakes at once. */
import { BUILT_IN_VARIABLES, type Channel, type FieldError, type TemplateInput } from '@carillon/contract'
import type { z } from 'zod'
import { findUnknownFields } from '../liquid/built-in-fields.ts'
import { invalidTemplate, mistakeIn, parseOrRefuse, type Source } from '../liquid/source.ts'
import { createTemplateEngine } from '../liquid/template-engine.ts'
import { findUsage, type PartCall, type Usage } from '../liquid/usage.ts'
import { DEFAULT_LAYOUT_NAME, findCallMistakes, type Parts } from '../template-parts/template-parts.ts'
import { type Catalogs, findCatalog, missingKey, parametersOf } from '../translations/messages.ts'
import type { Content } from './queries.ts'

/** What a template may use apart from its own text. */
export interface TemplateResources {
  parts: Parts
  catalogs: Catalogs
}

const TITLED_CHANNELS: Channel[] = ['push', 'in_app']
const engine = createTemplateEngine('plain')

/** The fields that belong to the channel, and no others. */
export function toContent(channel: Channel, input: z.output<typeof TemplateInput>): Content {
  const isMail = channel === 'email'
  const hasTitle = TITLED_CHANNELS.includes(channel)
  const errors = [
    ...expectField('subject', input.subject, isMail),
    ...expectField('title', input.title, hasTitle),
    ...(isMail
      ? []
      : [...expectField('text', input.text, false), ...expectField('layout', input.layout, false)]),
  ]
  if (errors.length > 0) throw invalidTemplate(errors)
  return {
    subject: input.subject ?? null,
    title: input.title ?? null,
    body: input.body,
    text: input.text ?? null,
    layout: isMail && input.layout === undefined ? DEFAULT_LAYOUT_NAME : (input.layout ?? null),
    variables: input.variables,
  }

  function expectField(field: string, value: unknown, isExpected: boolean): FieldError[] {
    if ((value !== undefined) === isExpected) return []
    const message = isExpected ? 'Required.' : `The channel ${channel} does not have this field.`
    return [{ field, message }]
  }
}

/** Throws with every mistake that can be found without rendering. */
export function checkContent(content: Content, locale: string, { parts, catalogs }: TemplateResources): void {
  const errors = findVariableMistakes(content)
  const declared = content.variables.map(({ name }) => name)
  const inspectedPartials = new Map<string, Inspection>()
  const layout = content.layout === null ? undefined : parts.layouts.get(content.layout)
  if (content.layout !== null && layout === undefined)
    errors.push({ field: 'layout', message: `There is no layout "${content.layout}".` })

  for (const source of ownSources(content)) {
    const { usage } = inspect(source, [])
    errors.push(
      ...findUnknownVariables(source, usage, [...declared, ...builtInsOf(source)]),
      ...findUnknownFields(source, usage, []),
    )
  }
  // A layout's variables were checked when it was saved.
  if (layout !== undefined) errors.push(...findUnknownFields(layout, inspect(layout, []).usage, []))
  if (errors.length > 0) throw invalidTemplate(errors.slice(0, MAX_MISTAKES))

  /** Inspects each partial only once: nested calls could multiply without limit. */
  function inspect(source: Source, callers: string[]): Inspection {
    const usage = parseOrRefuse(source, () => findUsage(engine, source.text))
    errors.push(
      ...findCallMistakes(source, usage),
      ...findTranslationMistakes(source, usage, locale, catalogs),
    )
    const depths = usage.parts.map(call =>
      call.name === undefined ? 0 : inspectCall(source, call, call.name, callers),
    )
    return { usage, depth: Math.max(0, ...depths) }
  }

  function inspectCall(source: Source, call: PartCall, name: string, callers: string[]): number {
    const partial = parts.partials.get(name)
    if (partial === undefined || callers.includes(name)) {
      const message =
        partial === undefined ? `there is no partial "${name}"` : `the partial "${name}" would render itself`
      errors.push(mistakeIn(source, call, message))
      return 0
    }
    const known = inspectedPartials.get(name) ?? inspect(partial, [...callers, name])
    inspectedPartials.set(name, known)
    errors.push(
      ...findUnknownVariables(partial, known.usage, [...call.passes, ...BUILT_IN_VARIABLES]),
      ...findUnknownFields(partial, known.usage, call.passes),
    )
    if (known.depth >= MAX_PARTIAL_DEPTH)
      errors.push(mistakeIn(source, call, `partials are nested more than ${MAX_PARTIAL_DEPTH} deep`))
    return known.depth + 1
  }
}

interface Inspection {
  usage: Usage
  /** How deeply partials are nested in it. */
  depth: number
}

const MAX_PARTIAL_DEPTH = 10
const MAX_MISTAKES = 20

function ownSources(content: Content): Source[] {
  const fields = ['subject', 'title', 'body', 'text'] as const
  return fields.flatMap(field => {
    const text = content[field]
    return text === null ? [] : [{ field, text }]
  })
}

/** A subject cannot contain itself. */
function builtInsOf(source: Source): readonly string[] {
  return source.field === 'subject'
    ? BUILT_IN_VARIABLES.filter(name => name !== 'subject')
    : BUILT_IN_VARIABLES
}

function findVariableMistakes({ variables }: Content): FieldError[] {
  const names = variables.map(({ name }) => name)
  return variables.flatMap(({ name }, i) => {
    const field = `variables.${i}.name`
    if ((BUILT_IN_VARIABLES as readonly string[]).includes(name) || name === 'content')
      return [{ field, message: `"${name}" is built in and must not be declared.` }]
    return names.indexOf(name) === i ? [] : [{ field, message: `"${name}" is declared twice.` }]
  })
}

function findUnknownVariables(source: Source, usage: Usage, known: readonly string[]): FieldError[] {
  return usage.variables
    .filter(({ name }) => !known.includes(name))
    .map(variable =>
      mistakeIn(
        source,
        variable,
        source.part === undefined
          ? `"${variable.name}" is not declared in variables`
          : `"${variable.name}" is not passed to it`,
      ),
    )
}

function findTranslationMistakes(
  source: Source,
  usage: Usage,
  locale: string,
  catalogs: Catalogs,
): FieldError[] {
  return usage.translations.flatMap(use => {
    const catalog = findCatalog(catalogs, locale, use.key)
    if (catalog === undefined) return [mistakeIn(source, use, missingKey(use.key, locale))]
    return parametersOf(catalog, use.key)
      .filter(name => !use.parameters.includes(name))
      .map(name => mistakeIn(source, use, `the translation "${use.key}" needs the parameter "${name}"`))
  })
}
