/** The field for filters, which applies with Enter. What helps to write one is loaded when somebody begins to. */
import { html, nothing, type ReactiveController, type TemplateResult } from 'lit'
import type { CarillonInbox } from '../carillon-inbox.ts'
import * as icons from '../icons.ts'
import type { FilterTools } from './filter-tools.ts'

export class FilterBar implements ReactiveController {
  /** What is in the field. */
  text = ''
  /** The filter that the field last showed, so that a change from elsewhere is noticed. */
  applied = ''
  readonly #shell: CarillonInbox
  /** Counts what was asked for, so that an answer that comes too late is known. */
  #asked = 0
  #loading: Promise<FilterTools> | undefined
  #tools: FilterTools | undefined

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    shell.addController(this)
  }

  hostUpdate(): void {
    const { query } = this.#shell.state.view
    if (query === this.applied) return
    this.applied = query
    this.text = query
    if (query !== '') void this.#shell.attempt(this.#load())
  }

  hostUpdated(): void {
    const { field } = this
    if (field !== null && field.value !== this.text) field.value = this.text
  }

  get field(): HTMLInputElement | null {
    return this.#shell.renderRoot.querySelector('#filter')
  }

  focus(): void {
    this.field?.focus()
    this.field?.select()
  }

  clear = (): void => {
    this.apply('')
    this.field?.focus()
  }

  apply(query: string): void {
    this.text = query
    this.applied = query.trim()
    this.#asked++
    this.#tools?.suggestions.forget()
    this.#shell.requestUpdate()
    void this.#shell.show({ query: this.applied })
  }

  render(): TemplateResult {
    const { words, state } = this.#shell
    const isWrong = state.problemAt !== undefined
    const suggestions = this.#tools?.suggestions
    return html`<div class="filter" part="filter" role="search">
      <div class="field ${isWrong ? 'wrong' : ''}">
        ${icons.lens()}
        <input id="filter" part="filter-input" type="text" role="combobox" autocomplete="off" autocapitalize="off"
          spellcheck="false" enterkeyhint="search" maxlength="500" dir=${this.text === '' ? nothing : 'auto'}
          aria-label=${words.filter} placeholder=${words.filterExample}
          aria-autocomplete="list" aria-expanded=${suggestions?.isOpen ?? false} aria-controls="suggestions"
          aria-activedescendant=${suggestions?.activeId ?? nothing}
          aria-invalid=${isWrong} aria-describedby=${isWrong ? 'mistake' : nothing}
          @input=${this.#look} @click=${this.#look} @focus=${this.#look} @blur=${this.#leave} @keydown=${this.#pressed}>
        ${this.#tools?.renderButtons()}
      </div>
      ${this.#tools?.render()}
    </div>`
  }

  async #load(): Promise<FilterTools> {
    this.#loading ??= import('./filter-tools.ts').then(({ loadFilterTools }) =>
      loadFilterTools(this.#shell, this),
    )
    this.#tools = await this.#loading
    this.#shell.requestUpdate()
    return this.#tools
  }

  #look = (): void => {
    this.text = this.field!.value
    void this.#shell.attempt(this.#suggest())
  }

  async #suggest(): Promise<void> {
    const asked = ++this.#asked
    const { suggestions } = await this.#load()
    // The person may have moved on while it was loaded.
    if (asked === this.#asked && (this.#shell.renderRoot as ShadowRoot).activeElement === this.field)
      suggestions.look()
  }

  #leave = (): void => this.#tools?.suggestions.close()

  #pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    const isTaken = this.#tools?.suggestions.takes(event.key) ?? false
    if (!isTaken && event.key === 'Enter') this.apply(this.field!.value)
    else if (!isTaken && event.key === 'Escape') this.#shell.focusPanel()
    else if (!isTaken) return
    // Otherwise Escape would close the popover around it, and arrows would move the caret.
    event.preventDefault()
    event.stopPropagation()
  }
}
