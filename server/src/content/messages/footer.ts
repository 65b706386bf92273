/** The footer of a mail that has no template. */
import { html } from '../../platform/text/html.ts'
import { BUILT_IN_LABELS } from './link-labels.ts'
import type { MailLinks } from './mail-links.ts'

export function textFooter(links: MailLinks | null): string {
  if (links === null) return ''
  const { unsubscribe, preferences, labels = BUILT_IN_LABELS } = links
  return `\n\n${labels.unsubscribe}: ${unsubscribe}\n${labels.preferences}: ${preferences}`
}

export function htmlFooter(links: MailLinks | null): string {
  if (links === null) return ''
  const { unsubscribe, preferences, labels = BUILT_IN_LABELS } = links
  return html`<p style="margin-top:32px;font-size:13px;color:#666c78"><a href="${unsubscribe}">${labels.unsubscribe}</a> · <a href="${preferences}">${labels.preferences}</a></p>`
    .text
}
