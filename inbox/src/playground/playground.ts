/** <carillon-playground>: two people side by side, a form that makes things happen, and all that comes of it. */
import type { PlaygroundOutcome, PlaygroundStage } from '@carillon/sdk'
import { html, LitElement, type TemplateResult, unsafeCSS } from 'lit'
import '../carillon-inbox.ts'
import { tokens } from '../element/tokens.ts'
import { type Closed, closedPage } from './closed.ts'
import { codeFor, type Language } from './code.ts'
import { codePanel } from './code-panel.ts'
import { inOrder } from './messages.ts'
import { inboxPanel, messagesPanel, storyPanel, topBar } from './panels.ts'
import style from './playground.css?inline'
import { Plot } from './plot.ts'
import { type Draft, nameOf } from './scenes.ts'
import { sendForm } from './send-form.ts'
import type { Sent } from './session.ts'

/** The page is at …/playground, and Carillon one level up. */
const BASE = new URL('./', location.href).href
const URL_OF_CARILLON = BASE.replace(/\/$/, '')

export class CarillonPlayground extends LitElement {
  static override properties = {
    closed: { state: true },
    problem: { state: true },
    stage: { state: true },
    draft: { state: true },
    isSending: { state: true },
    sent: { state: true },
    shown: { state: true },
    outcomes: { state: true },
    waiting: { state: true },
    language: { state: true },
    isCopied: { state: true },
    note: { state: true },
  }
  static override styles = [tokens, unsafeCSS(style)]

  declare closed: Closed | undefined
  declare problem: string
  declare stage: PlaygroundStage | undefined
  declare draft: Draft | undefined
  declare isSending: boolean
  declare sent: Sent[]
  /** The id of what the story and the code are about. */
  declare shown: string
  declare outcomes: ReadonlyMap<string, PlaygroundOutcome>
  /** Ids of what is still asked about. */
  declare waiting: ReadonlySet<string>
  declare language: Language
  declare isCopied: boolean
  /** Said to whoever cannot see the page change. */
  declare note: string
  readonly #plot = new Plot(this, BASE)

  constructor() {
    super()
    this.problem = ''
    this.isSending = false
    this.sent = []
    this.shown = ''
    this.outcomes = new Map()
    this.waiting = new Set()
    this.language = 'curl'
    this.isCopied = false
    this.note = ''
  }

  override connectedCallback(): void {
    super.connectedCallback()
    // The page before the script had this to say.
    this.replaceChildren()
    window.addEventListener('hashchange', () => location.reload())
    void this.#plot.open()
  }

  async #copy(code: string): Promise<void> {
    await navigator.clipboard.writeText(code)
    this.isCopied = true
    setTimeout(() => {
      this.isCopied = false
    }, 1500)
  }

  protected override render(): TemplateResult {
    if (this.closed !== undefined)
      return closedPage(this.closed, this.problem, () => {
        this.closed = undefined
        void this.#plot.open()
      })
    const { stage, draft } = this
    if (stage === undefined || draft === undefined)
      return html`<main class="closed" aria-busy="true"><p class="hint">Opening the playground …</p></main>`
    const name = (id: string) => nameOf(stage, id)
    const groups = this.sent.map(({ id }) => this.outcomes.get(id)?.messages ?? [])
    return html`${topBar(stage, this.isSending, () => void this.#plot.startOver())}
      <nav aria-label="Sections">
        ${['Send', ...stage.people.map(({ name }) => name), 'Messages', 'Story', 'Code'].map(
          name => html`<a href="#${name}" @click=${(event: Event) => this.#goTo(event, name)}>${name}</a>`,
        )}
      </nav>
      <main>
        <section id="Send" class="panel send" aria-labelledby="send-title">
          <h2 id="send-title">Make something happen</h2>
          <div class="body">
            ${sendForm({
              stage,
              draft,
              isSending: this.isSending,
              problem: this.problem,
              onChange: changes => {
                this.draft = { ...draft, ...changes }
                this.problem = ''
              },
              onSend: () => void this.#plot.send(),
            })}
          </div>
        </section>
        ${stage.people.map(person =>
          inboxPanel({
            person,
            isSet: stage.is_set,
            url: URL_OF_CARILLON,
            nameOf: name,
            refreshToken: () => this.#plot.tokenOf(person.id),
          }),
        )}
        ${messagesPanel(inOrder(groups), this.waiting.size > 0, name)}
        ${storyPanel({
          sent: this.sent,
          shown: this.#shown(),
          outcome: this.outcomes.get(this.shown),
          isWaiting: this.waiting.has(this.shown),
          nameOf: name,
          onShow: id => {
            this.shown = id
          },
          onLookAgain: sent => void this.#plot.follow(sent),
        })}
        ${this.#code(stage)}
      </main>
      <p class="unseen" role="status">${this.note}</p>`
  }

  #code(stage: PlaygroundStage): TemplateResult {
    const shown = this.#shown()
    const code = shown === undefined ? '' : codeFor(this.language, shown, URL_OF_CARILLON, stage)
    return codePanel({
      language: this.language,
      code,
      isCopied: this.isCopied,
      onChoose: language => {
        this.language = language
      },
      onCopy: () => void this.#copy(code),
    })
  }

  #shown(): Sent | undefined {
    return this.sent.find(({ id }) => id === this.shown)
  }

  /** A fragment would look like the token of a link. */
  #goTo(event: Event, name: string): void {
    event.preventDefault()
    this.renderRoot.querySelector(`#${name}`)?.scrollIntoView({ block: 'start' })
  }
}

customElements.define('carillon-playground', CarillonPlayground)
