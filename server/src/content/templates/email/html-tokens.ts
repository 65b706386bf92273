/**
 * Splits HTML into tags and comments as the standard does; most of what it calls a parse error is a mistake here too.
 * Uses parse5's tokenizer, because the one that html-to-text comes with (htmlparser2) accepts everything and reports no
 * errors.
 */
import { ErrorCodes, type ParserError, type Token, Tokenizer, TokenizerMode } from 'parse5'

export class HtmlMistake extends Error {
  readonly index: number

  constructor(index: number, message: string) {
    super(message)
    this.index = index
  }
}

interface Span {
  start: number
  end: number
}

export interface StartTag extends Span {
  name: string
  attributeNames: string[]
  closesItself: boolean
  /** How it is malformed, if it is. */
  mistake: HtmlMistake | undefined
}

export interface EndTag extends Span {
  name: string
}

/** Everything between these tokens is text. */
export interface TokenReader {
  onStartTag(tag: StartTag): void
  onEndTag(tag: EndTag): void
  onCommentOrDoctype(token: Span): void
}

/** Elements that hold text instead of HTML; in <style> not even character references are decoded. */
export const TEXT_ONLY: ReadonlyMap<string, 'RCDATA' | 'RAWTEXT'> = new Map([
  ['style', 'RAWTEXT'],
  ['title', 'RCDATA'],
  ['textarea', 'RCDATA'],
])

/** Stricter than the standard, which allows almost anything after the first letter, even a quote or <. */
const NAME = /^[a-z][a-z0-9-]*$/
/** Loose, since mails use all kinds of doctypes. */
const DOCTYPE = /^<!doctype[^<>]*>$/i
/** Outlook's conditions outside comments; everybody else treats them as comments. */
const CONDITION = /^<!\[(?:if|endif)[^<>]*>$/i

export function readTokens(html: string, reader: TokenReader): void {
  /** In the token being read. */
  let parseError: ParserError | undefined
  let at = 0

  function spanOf(token: { location: Token.Location | null }): Span {
    const { startOffset: start, endOffset: end } = token.location!
    at = end
    return { start, end }
  }

  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag(token) {
        const { start, end } = spanOf(token)
        const attributeNames = token.attrs.map(attribute => attribute.name)
        const { tagName: name, selfClosing: closesItself } = token
        const malformedAt = NAME.test(name) ? parseError?.startOffset : start
        const mistake = malformedAt === undefined ? undefined : malformedTag(name, malformedAt)
        reader.onStartTag({ start, end, name, attributeNames, closesItself, mistake })
        parseError = undefined
        const mode = TEXT_ONLY.get(name)
        if (mode !== undefined) tokenizer.state = TokenizerMode[mode]
      },
      onEndTag(token) {
        const { start, end } = spanOf(token)
        if (parseError !== undefined) throw new HtmlMistake(start, 'this end tag is incomplete')
        reader.onEndTag({ start, end, name: token.tagName })
      },
      onComment(token) {
        const span = spanOf(token)
        const text = html.slice(span.start, span.end)
        if (!text.startsWith('<!--') && !CONDITION.test(text))
          throw new HtmlMistake(span.start, 'this is not a valid comment')
        if (parseError?.code === ErrorCodes.eofInComment)
          throw new HtmlMistake(span.start, 'this comment is not closed')
        if (parseError !== undefined)
          throw new HtmlMistake(span.start, 'this comment must be closed with -->')
        reader.onCommentOrDoctype(span)
      },
      onDoctype(token) {
        const span = spanOf(token)
        parseError = undefined
        if (!DOCTYPE.test(html.slice(span.start, span.end)))
          throw new HtmlMistake(span.start, 'this declaration is not closed')
        reader.onCommentOrDoctype(span)
      },
      onCharacter() {},
      onWhitespaceCharacter() {},
      onNullCharacter() {},
      onEof() {
        // A tag cut off by the end of the text produces no token.
        if (parseError !== undefined) throw unfinishedTag(html, at)
      },
      onParseError(error) {
        if (HARMLESS.has(error.code) || isPlainLessThan(error, html)) return
        if (STRAY_LESS_THAN.has(error.code))
          throw new HtmlMistake(
            html.lastIndexOf('<', error.startOffset),
            'a < that does not begin an element must be written as &lt;',
          )
        parseError ??= error
      },
    },
  )
  tokenizer.write(html, true)
}

/** Parse errors by the standard, but all parsers handle them alike. */
const HARMLESS = new Set<ErrorCodes>([
  ErrorCodes.unknownNamedCharacterReference,
  ErrorCodes.missingSemicolonAfterCharacterReference,
  ErrorCodes.absenceOfDigitsInNumericCharacterReference,
  ErrorCodes.nullCharacterReference,
  ErrorCodes.surrogateCharacterReference,
  ErrorCodes.characterReferenceOutsideUnicodeRange,
  ErrorCodes.controlCharacterReference,
  ErrorCodes.noncharacterCharacterReference,
  ErrorCodes.controlCharacterInInputStream,
  ErrorCodes.noncharacterInInputStream,
  ErrorCodes.surrogateInInputStream,
  ErrorCodes.unexpectedNullCharacter,
  ErrorCodes.duplicateAttribute,
  ErrorCodes.nestedComment,
  // onComment checks these by their text.
  ErrorCodes.incorrectlyOpenedComment,
  ErrorCodes.cdataInHtmlContent,
])

const STRAY_LESS_THAN = new Set<ErrorCodes>([
  ErrorCodes.invalidFirstCharacterOfTagName,
  ErrorCodes.unexpectedQuestionMarkInsteadOfTagName,
  ErrorCodes.missingEndTagName,
  ErrorCodes.eofBeforeTagName,
])

/** In `1 < 2` and `I <3 you`, every parser treats < as text. */
function isPlainLessThan({ code, startOffset }: ParserError, html: string): boolean {
  if (code === ErrorCodes.eofBeforeTagName) return html.endsWith('<')
  if (code !== ErrorCodes.invalidFirstCharacterOfTagName) return false
  return html[startOffset - 1] === '<' && /[\s\d]/.test(html[startOffset] ?? '')
}

function malformedTag(name: string, index: number): HtmlMistake {
  return new HtmlMistake(index, `<${name}> is malformed here`)
}

function unfinishedTag(html: string, from: number): HtmlMistake {
  const start = from + Math.max(html.slice(from).search(/<[/a-zA-Z]/), 0)
  const name = /^<([a-zA-Z][^\s/>]*)/.exec(html.slice(start))?.[1]
  return name === undefined
    ? new HtmlMistake(start, 'this end tag is incomplete')
    : malformedTag(name.toLowerCase(), start)
}
