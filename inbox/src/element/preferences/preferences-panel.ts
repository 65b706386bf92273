/** <carillon-inbox-preferences>: where a person decides what reaches them, on which channel and when. */
import { CarillonError, type Channel, type PreferencesChanges } from '@carillon/sdk/inbox'
import { html, LitElement, nothing, type PropertyValues, type TemplateResult, unsafeCSS } from 'lit'
import type { Inbox } from '../../client/inbox-api.ts'
import type { Language } from '../../locales/choose.ts'
import type { PreferencesWords } from '../../locales/preferences-words.ts'
import { say } from '../../locales/say.ts'
import type { PushState } from '../../push/push.ts'
import { renderCategories } from './categories.ts'
import { endOfPause, interrupts, isChannelOn, PAUSES, pausedUntil } from './choices.ts'
import style from './preferences-panel.css?inline'
import { renderPush } from './push.ts'
import { renderQuietHours } from './quiet-hours.ts'
import { createSaving } from './saving.ts'
import { loadSettings, type Settings, saveChanges } from './source.ts'

export class PreferencesPanel extends LitElement {
  static override properties = {
    inbox: { attribute: false },
    language: { attribute: false },
    words: { state: true },
    settings: { state: true },
    problems: { state: true },
    isFailed: { state: true },
    said: { state: true },
    push: { state: true },
  }
  static override styles = unsafeCSS(style)

  declare inbox: Inbox
  declare language: Language
  /** Loaded with the panel. */
  declare words: PreferencesWords
  declare settings: Settings | undefined
  /** What the server said about a field, in its own words. */
  declare problems: Readonly<Record<string, string>>
  declare isFailed: boolean
  /** Undefined until the browser has said. */
  declare push: PushState | undefined
  /** Read aloud. */
  declare said: string

  readonly #saving = createSaving(settings => {
    this.settings = settings
  })

  constructor() {
    super()
    this.problems = {}
    this.said = ''
  }

  /** Shows the change at once, and takes it back if the server refuses it. */
  async save(field: string, changes: PreferencesChanges): Promise<void> {
    await this.#saving.save(changes, stored => this.attempt(field, saveChanges(this.inbox, stored, changes)))
  }

  /** Undefined if it was refused, for a reason that then stands at the field. */
  async attempt<T>(field: string, doing: Promise<T>): Promise<T | undefined> {
    const { [field]: _, ...others } = this.problems
    this.problems = others
    try {
      const done = await doing
      this.said = this.words.saved
      return done
    } catch (error) {
      this.problems = { ...this.problems, [field]: say(this.words.notSaved, { problem: reasonOf(error) }) }
      return undefined
    }
  }

  /** What is wrong with a field, in the place where the field is. */
  renderProblem(field: string): TemplateResult | typeof nothing {
    const problem = this.problems[field]
    return problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('language')) void this.#learnWords()
  }

  async #learnWords(): Promise<void> {
    this.words = (await this.language.later()).preferences
  }

  protected override firstUpdated(): void {
    void this.#load()
  }

  protected override render(): TemplateResult {
    const { settings, words } = this
    if (words === undefined) return html``
    if (this.isFailed)
      return html`<div class="failed"><p>${words.loadFailed}</p>
        <button type="button" @click=${this.#load}>${words.retry}</button></div>`
    if (settings === undefined) return html`<p class="failed" role="status">${words.loading}</p>`
    return html`${renderPush(this)} ${this.#renderPause(settings)} ${this.#renderChannels(settings)}
      ${settings.categories.length === 0 ? nothing : renderCategories(this, settings)}
      <div class="unseen" role="status">${this.said}</div>`
  }

  #renderPause(settings: Settings): TemplateResult {
    const { words } = this
    const until = pausedUntil(settings, Date.now())
    const pause = (end: Date | null) => {
      const change = { paused_until: end?.toISOString() ?? null }
      const channels = settings.channels.filter(interrupts).map(channel => [channel, change])
      return this.save('pause', { channels: Object.fromEntries(channels) })
    }
    return html`<section aria-labelledby="pause">
      <h3 id="pause">${words.pauseTitle}</h3>
      <div class="choices">
        ${
          until === undefined
            ? PAUSES.map(
                length => html`<button type="button" @click=${() => pause(endOfPause(length, new Date()))}>
                  ${words.pauseFor[length]}</button>`,
              )
            : html`<strong>${say(words.paused, { until: this.#moment(until) })}</strong>
              <button type="button" @click=${() => pause(null)}>${words.resume}</button>`
        }
      </div>
      <p class="hint">${words.pauseHint}</p>
      ${this.renderProblem('pause')}
    </section>`
  }

  #renderChannels(settings: Settings): TemplateResult {
    const { words } = this
    const turn = (channel: Channel, enabled: boolean) =>
      this.save(channel, { channels: { [channel]: { enabled } } })
    return html`<section aria-labelledby="channels">
      <h3 id="channels">${words.channelsTitle}</h3>
      ${settings.channels.map(
        channel => html`<div class="channel">
          ${renderSwitch(words.channels[channel], isChannelOn(settings, channel), isOn => turn(channel, isOn))}
          ${this.renderProblem(channel)}
          ${interrupts(channel) && isChannelOn(settings, channel) ? renderQuietHours(this, settings, channel) : nothing}
        </div>`,
      )}
      <p class="hint">${words.quietHint}</p>
    </section>`
  }

  #moment(at: Date): string {
    const { locale } = this.language
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
  }

  #load = async (): Promise<void> => {
    this.isFailed = false
    try {
      this.#saving.begin(await loadSettings(this.inbox))
      this.push = await this.inbox.pushState()
    } catch (error) {
      this.isFailed = true
      this.dispatchEvent(
        new CustomEvent('carillon-error', { detail: { error }, bubbles: true, composed: true }),
      )
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof CarillonError) return error.errors[0]?.message ?? error.detail
  return error instanceof Error ? error.message : String(error)
}

export function renderSwitch(label: string, isOn: boolean, turn: (isOn: boolean) => unknown): TemplateResult {
  return html`<label class="switch"><span>${label}</span><input type="checkbox" role="switch" .checked=${isOn}
    @change=${(event: Event) => turn((event.target as HTMLInputElement).checked)}></label>`
}

if (customElements.get('carillon-inbox-preferences') === undefined)
  customElements.define('carillon-inbox-preferences', PreferencesPanel)
