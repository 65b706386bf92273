/**
 * Tags and comments of HTML, as the standard splits it; what the standard calls a mistake is one here too. By parse5's
 * tokenizer, because the one that html-to-text brings along (htmlparser2) takes everything and tells of no mistake.
 */
import { ErrorCodes, type ParserError, type Token, Tokenizer, TokenizerMode } from 'parse5'

export class HtmlMistake extends Error {
  readonly index: number

  constructor(index: number, message: string) {
    super(message)
    this.index = index
  }
}

interface Place {
  start: number
  end: number
}

export interface StartTag extends Place {
  name: string
  attributeNames: string[]
  closesItself: boolean
  /** What is wrong with how it is written, if anything is. */
  mistake: HtmlMistake | undefined
}

export interface EndTag extends Place {
  name: string
}

/** What lies between two of them is text. */
export interface TokenReader {
  onStartTag(tag: StartTag): void
  onEndTag(tag: EndTag): void
  /** A comment or a declaration. */
  onRemark(remark: Place): void
}

/** What these hold is no HTML; a character reference in a <style> is not even that. */
export const TEXT_ONLY: ReadonlyMap<string, 'RCDATA' | 'RAWTEXT'> = new Map([
  ['style', 'RAWTEXT'],
  ['title', 'RCDATA'],
  ['textarea', 'RCDATA'],
])

/** The standard lets a name go on with anything, such as a quote or <. */
const NAME = /^[a-z][a-z0-9-]*$/
/** Mails carry all kinds of them. */
const DOCTYPE = /^<!doctype[^<>]*>$/i
/** Outlook's conditions outside of comments; everybody else takes them for one. */
const CONDITION = /^<!\[(?:if|endif)[^<>]*>$/i

export function readTokens(html: string, reader: TokenReader): void {
  /** Of the token that is being read. */
  let problem: ParserError | undefined
  let at = 0

  function placeOf(token: { location: Token.Location | null }): Place {
    const { startOffset: start, endOffset: end } = token.location!
    at = end
    return { start, end }
  }

  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag(token) {
        const { start, end } = placeOf(token)
        const attributeNames = token.attrs.map(attribute => attribute.name)
        const { tagName: name, selfClosing: closesItself } = token
        const wrongAt = NAME.test(name) ? problem?.startOffset : start
        const mistake = wrongAt === undefined ? undefined : wrongTag(name, wrongAt)
        reader.onStartTag({ start, end, name, attributeNames, closesItself, mistake })
        problem = undefined
        const mode = TEXT_ONLY.get(name)
        if (mode !== undefined) tokenizer.state = TokenizerMode[mode]
      },
      onEndTag(token) {
        const { start, end } = placeOf(token)
        if (problem !== undefined) throw new HtmlMistake(start, 'this end tag is not complete')
        reader.onEndTag({ start, end, name: token.tagName })
      },
      onComment(token) {
        const place = placeOf(token)
        const text = html.slice(place.start, place.end)
        if (!text.startsWith('<!--') && !CONDITION.test(text))
          throw new HtmlMistake(place.start, 'this is no comment')
        if (problem?.code === ErrorCodes.eofInComment)
          throw new HtmlMistake(place.start, 'this comment is not closed')
        if (problem !== undefined)
          throw new HtmlMistake(place.start, 'this comment is not closed as it should be, with -->')
        reader.onRemark(place)
      },
      onDoctype(token) {
        const place = placeOf(token)
        problem = undefined
        if (!DOCTYPE.test(html.slice(place.start, place.end)))
          throw new HtmlMistake(place.start, 'this declaration is not closed')
        reader.onRemark(place)
      },
      onCharacter() {},
      onWhitespaceCharacter() {},
      onNullCharacter() {},
      onEof() {
        // No token comes of a tag that the end of the text cuts off.
        if (problem !== undefined) throw unfinishedTag(html, at)
      },
      onParseError(error) {
        if (HARMLESS.has(error.code) || isLessThan(error, html)) return
        if (BEGIN_NOTHING.has(error.code))
          throw new HtmlMistake(
            html.lastIndexOf('<', error.startOffset),
            'a < that begins no element is written &lt;',
          )
        problem ??= error
      },
    },
  )
  tokenizer.write(html, true)
}

/** Everybody reads them alike, whatever the standard thinks of whoever wrote them. */
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
  // Told apart by what was written.
  ErrorCodes.incorrectlyOpenedComment,
  ErrorCodes.cdataInHtmlContent,
])

const BEGIN_NOTHING = new Set<ErrorCodes>([
  ErrorCodes.invalidFirstCharacterOfTagName,
  ErrorCodes.unexpectedQuestionMarkInsteadOfTagName,
  ErrorCodes.missingEndTagName,
  ErrorCodes.eofBeforeTagName,
])

/** 1 < 2 and I <3 you are text to everybody. */
function isLessThan({ code, startOffset }: ParserError, html: string): boolean {
  if (code === ErrorCodes.eofBeforeTagName) return html.endsWith('<')
  if (code !== ErrorCodes.invalidFirstCharacterOfTagName) return false
  return html[startOffset - 1] === '<' && /[\s\d]/.test(html[startOffset] ?? '')
}

function wrongTag(name: string, index: number): HtmlMistake {
  return new HtmlMistake(index, `<${name}> is not written as it should be here`)
}

function unfinishedTag(html: string, from: number): HtmlMistake {
  const start = from + Math.max(html.slice(from).search(/<[/a-zA-Z]/), 0)
  const name = /^<([a-zA-Z][^\s/>]*)/.exec(html.slice(start))?.[1]
  return name === undefined
    ? new HtmlMistake(start, 'this end tag is not complete')
    : wrongTag(name.toLowerCase(), start)
}
