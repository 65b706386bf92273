/** What a Liquid text uses, found in its syntax tree: variables, partials, translations. */
import './quick-positions.ts'
import {
  analyzeSync,
  evalQuotedToken,
  type Liquid,
  type PartialScope,
  type QuotedToken,
  type Template,
  TokenKind,
  toValueSync,
  Value,
  type Variable,
} from 'liquidjs'

export interface Position {
  line: number
  column: number
}

export interface VariableUse extends Position {
  name: string
}

/** `name.field`, or `name["field"]`. */
export interface FieldUse extends VariableUse {
  field: string
}

export interface PartCall extends Position {
  /** undefined when it is not a literal, and so not known before rendering. */
  name: string | undefined
  /** The variables that the partial sees. */
  passes: string[]
  /** `with` or `for` without `as`: the variable would have the partial's name. */
  lacksAlias: boolean
}

export interface TranslationUse extends Position {
  key: string
  parameters: string[]
}

export interface Usage {
  /** Names that the text does not define itself, where they are first used. */
  variables: VariableUse[]
  /** What the text reads of them, where each is first used. */
  fields: FieldUse[]
  parts: PartCall[]
  /** Those with a literal key; others are known only when rendering. */
  translations: TranslationUse[]
}

/** Far more than anybody writes; analysing them takes a tenth of a second. */
const MAX_PIECES = 5000

/** Throws the parser's errors. */
export function findUsage(engine: Liquid, source: string): Usage {
  if ((source.match(/\{[{%]/g)?.length ?? 0) > MAX_PIECES)
    throw new Error(`it has more than ${MAX_PIECES} outputs and tags`)
  const templates = engine.parse(source)
  const { globals } = analyzeSync(templates, { partials: false })
  const all = [...walkTemplates(templates)]
  return {
    variables: Object.entries(globals).map(([name, [first]]) => ({
      name,
      line: first!.location.row,
      column: first!.location.col,
    })),
    fields: Object.entries(globals).flatMap(([name, uses]) => findFields(name, uses)),
    parts: all.flatMap(findPartCall),
    translations: all.flatMap(findTranslations),
  }
}

function findFields(name: string, uses: Variable[]): FieldUse[] {
  const first = new Map<string, FieldUse>()
  for (const { segments, location } of uses) {
    const field = segments[1]
    if (typeof field !== 'string' || first.has(field)) continue
    first.set(field, { name, field, line: location.row, column: location.col })
  }
  return [...first.values()]
}

function* walkTemplates(templates: Template[]): Generator<Template> {
  for (const template of templates) {
    yield template
    const children = template.children?.(false, true)
    if (children !== undefined) yield* walkTemplates(toValueSync(children) as Template[])
  }
}

function findPartCall(template: Template): PartCall[] {
  if (template.partialScope === undefined) return []
  const scope: PartialScope | undefined = template.partialScope()
  const names = [...(scope?.scope ?? [])].map(entry => (typeof entry === 'string' ? entry : entry[0]))
  return [
    {
      ...positionOf(template),
      name: scope?.name,
      passes: names,
      lacksAlias: [...(scope?.scope ?? [])].some(
        entry => typeof entry !== 'string' && entry[0] === scope?.name,
      ),
    },
  ]
}

function findTranslations(template: Template): TranslationUse[] {
  return [...(template.arguments?.() ?? [])].flatMap(argument => {
    if (!(argument instanceof Value) || argument.filters[0]?.name !== 't') return []
    const [first, ...others] = argument.initial.postfix
    if (first?.kind !== TokenKind.Quoted || others.length > 0) return []
    return [
      {
        ...positionOf(template),
        key: evalQuotedToken(first as QuotedToken),
        parameters: argument.filters[0].args.flatMap(given => (Array.isArray(given) ? [given[0]!] : [])),
      },
    ]
  })
}

function positionOf(template: Template): Position {
  const [line = 1, column = 1] = template.token.getPosition()
  return { line, column }
}
