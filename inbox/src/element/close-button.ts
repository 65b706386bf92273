/** The way out of a sheet, which has no outside to click on; a popover does not show it. */
import { html, nothing, type TemplateResult } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import * as icons from './icons.ts'

export function renderClose({ mode, words }: CarillonInbox): TemplateResult | typeof nothing {
  return mode === 'bell'
    ? html`<button class="icon close" part="control" type="button" popovertarget="panel" popovertargetaction="hide"
        aria-label=${words.close} title=${words.close}>${icons.cross()}</button>`
    : nothing
}
