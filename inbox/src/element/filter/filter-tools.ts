/** What helps to write a filter: suggestions, where it is wrong, and the buttons in the field. */
import { html, nothing, type TemplateResult } from 'lit'
import type { CarillonInbox } from '../carillon-inbox.ts'
import * as icons from '../icons.ts'
import { addStyles } from '../styles.ts'
import type { FilterBar } from './filter-bar.ts'
import style from './filter-tools.css?inline'
import { renderKeep } from './keep.ts'
import { Suggestions } from './suggestions.ts'

export async function loadFilterTools(shell: CarillonInbox, bar: FilterBar): Promise<FilterTools> {
  const { menus } = await shell.language.later()
  addStyles(shell.renderRoot, style)
  return new FilterTools(shell, bar, new Suggestions(shell, bar, menus))
}

export class FilterTools {
  readonly suggestions: Suggestions
  readonly #shell: CarillonInbox
  readonly #bar: FilterBar

  constructor(shell: CarillonInbox, bar: FilterBar, suggestions: Suggestions) {
    this.#shell = shell
    this.#bar = bar
    this.suggestions = suggestions
  }

  renderButtons(): TemplateResult | typeof nothing {
    const { words, state } = this.#shell
    const { text, applied, clear } = this.#bar
    if (text === '') return nothing
    const canKeep = text.trim() === applied && applied !== '' && state.problemAt === undefined
    return html`${canKeep ? renderKeep(this.#shell) : nothing}
      <button class="icon small" part="control" type="button" aria-label=${words.clearFilter}
        title=${words.clearFilter} @click=${clear}>${icons.cross()}</button>`
  }

  render(): TemplateResult {
    const { problemAt } = this.#shell.state
    return html`${this.suggestions.render()} ${problemAt === undefined ? nothing : this.#renderMistake(problemAt)}`
  }

  /** The filter again, with the place that could not be understood. */
  #renderMistake(at: number): TemplateResult {
    const query = this.#bar.applied
    const end = at + (/^\S*/.exec(query.slice(at))![0].length || 1)
    return html`<p class="mistake" id="mistake" part="filter-error">
      <code dir="ltr">${query.slice(0, at)}<mark>${query.slice(at, end) || ' '}</mark>${query.slice(end)}</code>
      <span dir="auto">${this.#shell.state.problem}</span></p>`
  }
}
