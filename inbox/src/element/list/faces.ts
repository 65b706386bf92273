/** Whom or what a row is about: a picture of its own, or up to three people. */
import type { InboxItem } from '@carillon/sdk'
import { html, type TemplateResult } from 'lit'
import { sayCount } from '../../locales/say.ts'
import { type Actor, actorsOf } from './actors.ts'
import { ICONS } from './icons.ts'
import { pageAddress } from './page-address.ts'
import type { RowContext } from './row.ts'

const SHOWN = 3

export function faces(item: InboxItem, { profileOf, words, locale }: RowContext): TemplateResult {
  const icon = pageAddress(item.summary.icon)
  if (icon !== undefined)
    return html`<span class="faces square" part="avatar">${ICONS.bell}${picture(icon)}</span>`
  const actors = actorsOf(item, profileOf)
  if (actors.length === 0) return html`<span class="faces" part="avatar"><i>${ICONS.bell}</i></span>`
  const shown = actors.slice(0, SHOWN)
  const names = new Intl.ListFormat(locale, { style: 'narrow', type: 'unit' }).format(
    shown.map(({ name }) => name),
  )
  const hidden = actors.length - shown.length
  const label = hidden === 0 ? names : sayCount(locale, words.others, hidden, { names })
  return html`<span class="faces of${shown.length}" part="avatar" role="img" aria-label=${label} title=${label}>
    ${shown.map(face)}
  </span>`
}

const face = ({ initials, image }: Actor): TemplateResult =>
  html`<i aria-hidden="true">${initials}${image === undefined ? '' : picture(image)}</i>`

/** Over what shows if it does not load. Whoever serves it learns nothing about the page. */
const picture = (address: string): TemplateResult =>
  html`<img src=${address} alt="" referrerpolicy="no-referrer" loading="lazy" decoding="async"
    @error=${show(false)} @load=${show(true)} />`

const show = (isShown: boolean) => (event: Event) => {
  ;(event.target as HTMLElement).hidden = !isShown
}
