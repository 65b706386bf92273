/** The button in the field that keeps the filter as a tab, or no longer. */
import type { SavedFilter } from '@carillon/sdk/inbox'
import { html, nothing, type TemplateResult } from 'lit'
import { queryOf } from '../../client/views.ts'
import type { CarillonInbox } from '../carillon-inbox.ts'
import * as icons from '../icons.ts'
import { askForName, removeFilter } from './kept-filters.ts'

export function renderKeep(shell: CarillonInbox): TemplateResult {
  const kept = keptAs(shell)
  const label = kept === undefined ? shell.words.saveFilter : shell.words.removeFilter
  const press = ({ currentTarget }: Event) =>
    shell.attempt(
      kept === undefined ? askForName(shell, currentTarget as HTMLElement) : removeFilter(shell, kept),
    )
  return html`<button class="icon small" part="control" type="button" aria-label=${label} title=${label}
    aria-haspopup=${kept === undefined ? 'dialog' : nothing} @click=${press}>
    ${kept === undefined ? icons.bookmark() : icons.bookmarked()}</button>`
}

function keptAs({ savedFilters, state }: CarillonInbox): SavedFilter | undefined {
  const query = queryOf(state.view)
  return savedFilters.find(filter => filter.query === query)
}
