/** What could be meant, under the field while somebody types. */
import { html, nothing, type TemplateResult } from 'lit'
import type { MenuWords } from '../../locales/menu-words.ts'
import { sayCount } from '../../locales/say.ts'
import type { CarillonInbox } from '../carillon-inbox.ts'
import type { FilterBar } from './filter-bar.ts'
import { topicsOf, valuesOf } from './known-values.ts'
import { complete, type Suggestion, suggest } from './suggest.ts'

export class Suggestions {
  readonly #shell: CarillonInbox
  readonly #bar: FilterBar
  readonly #words: MenuWords
  #choices: Suggestion[] = []
  #active = -1
  #topics: string[] | undefined

  constructor(shell: CarillonInbox, bar: FilterBar, words: MenuWords) {
    this.#shell = shell
    this.#bar = bar
    this.#words = words
  }

  get isOpen(): boolean {
    return this.#choices.length > 0
  }

  get activeId(): string | undefined {
    return this.#active < 0 ? undefined : `suggestion-${this.#active}`
  }

  /** Topics that come later leave what somebody has moved to. */
  look(isSame = false): void {
    const field = this.#bar.field!
    const known = valuesOf(this.#shell.state.items, this.#topics ?? [], new Date())
    const chosen = isSame ? this.#choices[this.#active]?.text : undefined
    this.#choices = suggest(field.value, field.selectionStart ?? field.value.length, known)
    this.#active = this.#choices.findIndex(({ text }) => text === chosen)
    this.#shell.requestUpdate()
    if (this.#topics === undefined) void this.#learnTopics()
  }

  forget(): void {
    this.#choices = []
    this.#active = -1
  }

  close(): void {
    this.forget()
    this.#topics = undefined
    this.#shell.requestUpdate()
  }

  /** Whether the key was for the suggestions. */
  takes(key: string): boolean {
    const count = this.#choices.length
    if ((key === 'ArrowDown' || key === 'ArrowUp') && count === 0) this.look()
    else if (key === 'ArrowDown') this.#move(this.#active + 1 >= count ? 0 : this.#active + 1)
    else if (key === 'ArrowUp') this.#move(this.#active <= 0 ? count - 1 : this.#active - 1)
    else if (key === 'Enter' && this.#active >= 0) this.#choose(this.#choices[this.#active]!)
    else if (key === 'Escape' && count > 0) this.close()
    else return false
    return true
  }

  render(): TemplateResult {
    const { words, language } = this.#shell
    const count = this.#choices.length
    return html`<ul class="menu" id="suggestions" role="listbox" aria-label=${words.filter} ?hidden=${count === 0}>
        ${this.#choices.map((each, index) => this.#renderChoice(each, index))}
      </ul>
      <div class="unseen" role="status">
        ${count > 0 ? sayCount(language.locale, this.#words.suggestions, count) : nothing}
      </div>`
  }

  #renderChoice(suggestion: Suggestion, index: number): TemplateResult {
    // The field keeps the focus while the pointer chooses.
    return html`<li id="suggestion-${index}" role="option" aria-selected=${index === this.#active}
      @pointerdown=${(event: Event) => event.preventDefault()} @click=${() => this.#choose(suggestion)}>
      <bdi>${suggestion.text}</bdi><span class="hint">${this.#hint(suggestion)}</span></li>`
  }

  #hint({ key, value }: Suggestion): string {
    const { filterKeys, filterStates, noTopic } = this.#words
    if (value === undefined) return filterKeys[key]
    if (key === 'is') return filterStates[value as keyof typeof filterStates]
    return value === '' ? noTopic : ''
  }

  async #learnTopics(): Promise<void> {
    const { inbox } = this.#shell
    if (inbox === undefined) return
    this.#topics = []
    try {
      this.#topics = await topicsOf(inbox)
    } catch (error) {
      // There are fewer suggestions then; whoever types needs no notice of that.
      this.#shell.tell('carillon-error', { error })
    }
    if (this.isOpen) this.look(true)
  }

  #choose(suggestion: Suggestion): void {
    const field = this.#bar.field!
    const { query, caret } = complete(field.value, field.selectionStart ?? field.value.length, suggestion)
    field.value = query
    field.setSelectionRange(caret, caret)
    if (suggestion.value === undefined) field.dispatchEvent(new Event('input'))
    else this.#bar.apply(query)
  }

  #move(index: number): void {
    this.#active = index
    this.#shell.requestUpdate()
    void this.#shell.updateComplete.then(() =>
      this.#shell.renderRoot.querySelector(`#suggestion-${index}`)?.scrollIntoView({ block: 'nearest' }),
    )
  }
}
