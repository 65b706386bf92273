/** The line that mail programs show after the subject in their lists: hidden text at the start of the mail. */
import { cut } from '../../platform/text/cut.ts'
import { escapeHtml } from '../../platform/text/html.ts'

const MAX_START_LENGTH = 140
/** Every way of hiding it that some mail program needs. */
const HIDDEN =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;color:transparent;mso-hide:all'
/** Otherwise the text that follows would be shown too: nothing to see, but it takes room. */
const FILLING = '&#847;&zwnj;&nbsp;'.repeat(60)
const BODY = /<body(?:\s(?:"[^"]*"|'[^']*'|[^"'>])*)?>/i

export function withPreheader(html: string, preheader: string | undefined): string {
  if (preheader === undefined || preheader === '') return html
  const hidden = `<div aria-hidden="true" style="${HIDDEN}">${escapeHtml(preheader)}${FILLING}</div>`
  return html.replace(BODY, body => `${body}${hidden}`)
}

/** The beginning of a text, on one line. */
export function startOf(text: string): string {
  return cut(text.replace(/\s+/g, ' ').trim(), MAX_START_LENGTH, 'utf16', '…')
}
