/** The buttons that a payload brought along. Of several, one can be pressed, and it stays visible which it was. */
import type { InboxItem } from '@carillon/sdk'
import { html, nothing, type TemplateResult } from 'lit'
import { ICONS } from './icons.ts'
import { pageAddress } from './page-address.ts'
import { plain } from './plain.ts'

export const labelOf = ({ label }: { label: string }): string => plain(label, 60)

export function buttons({ actions, answer }: InboxItem, tab: number): TemplateResult | typeof nothing {
  if (actions.length === 0) return nothing
  const answered = actions.find(({ id }) => id === answer?.action)
  if (answered !== undefined)
    return html`<div class="buttons"><span class="answered" part="answered">${ICONS.done}<bdi>${labelOf(answered)}</bdi></span></div>`
  return html`<div class="buttons">
    ${actions.map(action => {
      const address = pageAddress(action.url)
      const label = html`<bdi>${labelOf(action)}</bdi>`
      return address === undefined
        ? html`<button type="button" class="button" part="button" data-do="answer" data-answer=${action.id} tabindex=${tab}>${label}</button>`
        : html`<a class="button" part="button" data-do="answer" data-answer=${action.id} href=${address} tabindex=${tab}>${label}</a>`
    })}
  </div>`
}
