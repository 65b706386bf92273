/** <carillon-inbox>: a person's notification centre on any page. */
import { CarillonError, type InboxItem, type SavedFilter } from '@carillon/sdk/inbox'
import { html, LitElement, type PropertyValues, type TemplateResult } from 'lit'
import type { Inbox } from '../client/inbox-api.ts'
import { EMPTY, type InboxState, type View } from '../client/state.ts'
import { chooseLocale, ENGLISH, type Language, loadLanguage } from '../locales/choose.ts'
import type { ShellWords } from '../locales/shell-words.ts'
import type { Attention } from './attention.ts'
import { Bell } from './bell.ts'
import { Connection } from './connection.ts'
import type { ProfileOf } from './list/actors.ts'
import type { Panel } from './panel.ts'
import { Parts } from './parts.ts'
import { styles } from './styles.ts'
import type { Toasts } from './toasts/toasts.ts'

export type Grouping = 'none' | 'topic' | 'date'

/** Where this file was loaded from is where Carillon answers, unless the page says otherwise. */
const OWN_ORIGIN = new URL(import.meta.url).origin

export class CarillonInbox extends LitElement {
  static override properties = {
    url: {},
    token: {},
    tokenUrl: { attribute: 'token-url' },
    refreshToken: { attribute: false },
    // An element that gave itself attributes would differ from what a server rendered: frameworks call that a mistake.
    mode: { reflect: true, useDefault: true },
    theme: { reflect: true, useDefault: true },
    locale: {},
    group: {},
    profileOf: { attribute: false },
    sound: { type: Boolean },
    faviconBadge: { type: Boolean, attribute: 'favicon-badge' },
    open: { type: Boolean, reflect: true },
    state: { state: true },
    language: { state: true },
    savedFilters: { state: true },
    isUnconfigured: { state: true },
    isUnreachable: { state: true },
    renderSettings: { state: true },
    panel: { state: true },
    toasts: { state: true },
  }
  static override styles = styles

  declare url: string
  /** A user token, for pages that are rendered with one. */
  declare token: string | undefined
  /** An address of your backend that answers {"token": "…"} for whoever is signed in. */
  declare tokenUrl: string | undefined
  declare refreshToken: (() => Promise<string>) | undefined
  declare mode: 'bell' | 'page' | 'toast'
  declare theme: 'auto' | 'light' | 'dark'
  declare locale: string | undefined
  declare group: Grouping
  /** What the product knows about people, who are otherwise shown by their ids. */
  declare profileOf: ProfileOf | undefined
  /** A short tone for what comes in, once the visitor has touched the page. */
  declare sound: boolean
  declare faviconBadge: boolean
  /** Whether the popover of the bell is. */
  declare open: boolean

  declare state: InboxState
  declare language: Language
  declare savedFilters: readonly SavedFilter[]
  declare isUnconfigured: boolean
  /** Nothing has ever come, though the browser has a connection. */
  declare isUnreachable: boolean
  /** Draws the person's settings, while they are open. */
  declare renderSettings: (() => TemplateResult) | undefined
  /** Undefined until it is loaded. */
  declare panel: Panel | undefined
  /** Undefined until there is something to say. */
  declare toasts: Toasts | undefined

  /** Of pages that want a sound or a number on their icon. */
  attention: Attention | undefined
  readonly parts: Parts = new Parts(this)
  readonly #bell = new Bell(this)
  readonly #connection = new Connection(this)

  constructor() {
    super()
    this.url = OWN_ORIGIN
    this.mode = 'bell'
    this.theme = 'auto'
    this.group = 'none'
    this.sound = false
    this.faviconBadge = false
    this.open = false
    this.state = EMPTY
    this.language = ENGLISH
    this.savedFilters = []
    this.isUnconfigured = false
    this.isUnreachable = false
    this.addEventListener('carillon-open', () => this.#bell.close())
    this.addEventListener('carillon-focus-filter', () => this.panel?.filterBar.focus())
  }

  /** The client behind the element; undefined until it knows whose inbox to show. */
  get inbox(): Inbox | undefined {
    return this.#connection.inbox
  }

  get words(): ShellWords {
    return this.language.words.shell
  }

  /** Forgets what it shows and begins anew, for instance because another person has signed in. */
  restart(): void {
    this.#connection.restart()
  }

  show(view: Partial<View>): Promise<void> {
    return this.attempt(this.inbox?.show(view))
  }

  /** Says so if something was refused; nobody else waits for it. */
  async attempt(doing: Promise<unknown> | undefined): Promise<void> {
    try {
      await doing
    } catch (error) {
      this.tell('carillon-error', { error })
      const text = error instanceof CarillonError && error.detail ? error.detail : this.words.refused
      void this.parts.notify(toasts => toasts.say(text))
    }
  }

  /** Whether the page leaves it to the element to go there. */
  announceOpening(item: InboxItem): boolean {
    const isLeft = this.tell('carillon-open', { item }, true)
    if (!item.is_read) void this.attempt(this.inbox?.act([item.id], 'read'))
    return isLeft
  }

  /** False if a listener took it over. */
  tell(name: string, detail: object, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable, bubbles: true, composed: true }))
  }

  /** On the rows, if there are any: keys act on them. */
  focusPanel(): void {
    this.renderRoot.querySelector<HTMLElement>('.panel')?.focus()
    this.renderRoot.querySelector<HTMLElement>('carillon-inbox-list')?.focus()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    // The page may have another language where the element is now.
    void this.attempt(this.#chooseLanguage())
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('locale')) void this.attempt(this.#chooseLanguage())
    this.#connection.follow(changed)
  }

  protected override render(): TemplateResult {
    const { direction, locale } = this.language
    return html`<div class="shell" part="shell" dir=${direction} lang=${locale} @keydown=${this.#pressed}>
      ${this.#renderMode()}
    </div>`
  }

  #renderMode(): TemplateResult {
    if (this.mode === 'toast') return html`${this.toasts?.render()}`
    if (this.mode === 'bell') return this.#bell.render()
    return html`<section class="panel" part="panel" tabindex="-1" aria-label=${this.words.title}>
      ${this.panel?.render()}
    </section>`
  }

  get #wantedLocale(): string {
    const { lang } = this.closest<HTMLElement>('[lang]') ?? document.documentElement
    return chooseLocale([this.locale, lang, ...navigator.languages])
  }

  async #chooseLanguage(): Promise<void> {
    const locale = this.#wantedLocale
    if (locale === this.language.locale) return
    const language = await loadLanguage(locale)
    // Another may have been asked for while this one was on its way.
    if (locale === this.#wantedLocale) this.language = language
  }

  #pressed = (event: KeyboardEvent): void => {
    const [target] = event.composedPath()
    const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    this.panel?.filterBar.focus()
  }
}
