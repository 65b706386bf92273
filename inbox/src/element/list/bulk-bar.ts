/** What can be done with everything that is selected. It is at the lower edge, so that no row moves when it appears. */
import type { InboxItem } from '@carillon/sdk'
import { html, type TemplateResult } from 'lit'
import { sayCount } from '../../locales/say.ts'
import { addStyles } from '../styles.ts'
import style from './bulk-bar.css?inline'
import type { CarillonInboxList } from './carillon-inbox-list.ts'
import { ICONS } from './icons.ts'
import { actionButton } from './row.ts'

/** Brings its looks; gives back what draws it. */
export function createBulkBar(list: CarillonInboxList): () => TemplateResult {
  addStyles(list.renderRoot, style)
  return () => bulkBar(list)
}

function bulkBar({ words, locale, order, selection, itemOf }: CarillonInboxList): TemplateResult {
  const items = [...selection.ids].map(id => itemOf(id)!)
  /** What is true of all becomes untrue of all. */
  const every = (has: (item: InboxItem) => boolean) => items.every(has)
  const label = sayCount(locale, words.selected, items.length)
  return html`<div class="bar" part="bulk-bar" role="toolbar" aria-label=${label}>
    <span class="count">${label}</span>
    <button type="button" class="text" data-do="select-all" ?disabled=${items.length === order.length}>
      ${words.selectAll}</button>
    <span class="actions">
      ${actionButton(every(({ done_at }) => done_at !== null) ? 'undone' : 'done', words)}
      ${actionButton(every(({ is_read }) => is_read) ? 'unread' : 'read', words)}
      ${actionButton(every(({ saved_at }) => saved_at !== null) ? 'unsave' : 'save', words)}
      ${actionButton('snooze', words)}
      <button type="button" data-do="clear" aria-label=${words.clear} title=${words.clear}>${ICONS.close}</button>
    </span>
  </div>`
}
