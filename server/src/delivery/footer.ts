/** What stands below a mail that no template shaped. */
import { html } from '../html.ts'
import type { MailLinks } from '../preferences/mail-links.ts'
import { BUILT_IN_MESSAGES } from '../translations/built-in-messages.ts'

const LEAVE = BUILT_IN_MESSAGES['links.unsubscribe']
const CHOOSE = BUILT_IN_MESSAGES['links.preferences']

export function textFooter(links: MailLinks | null): string {
  return links === null ? '' : `\n\n${LEAVE}: ${links.unsubscribe}\n${CHOOSE}: ${links.preferences}`
}

export function htmlFooter(links: MailLinks | null): string {
  if (links === null) return ''
  const { unsubscribe, preferences } = links
  return html`<p style="margin-top:32px;font-size:13px;color:#666c78"><a href="${unsubscribe}">${LEAVE}</a> · <a href="${preferences}">${CHOOSE}</a></p>`
    .text
}
