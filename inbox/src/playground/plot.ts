/** What happens in the playground: what is sent, what comes of it, and beginning anew. The page shows it. */
import { follow } from './follow.ts'
import type { CarillonPlayground } from './playground.ts'
import { documentOf, newDraft, SCENE } from './scenes.ts'
import { connect, type PlaygroundServer, Refused } from './server.ts'
import { recallSent, rememberSent, type Sent, takeToken } from './session.ts'

export class Plot {
  readonly #page: CarillonPlayground
  readonly #base: string
  #server: PlaygroundServer | undefined
  #ending = new AbortController()

  constructor(page: CarillonPlayground, base: string) {
    this.#page = page
    this.#base = base
  }

  tokenOf(person: string): Promise<string> {
    return this.#server!.tokenOf(person)
  }

  async open(): Promise<void> {
    const token = takeToken()
    this.#page.closed = token === '' ? 'no-link' : undefined
    if (token === '') return
    this.#server = connect(this.#base, token)
    await this.#trying(async server => {
      const stage = await server.stage()
      this.#page.draft ??= newDraft(stage)
      this.#page.stage = stage
      if (!stage.is_set) return
      this.#page.sent = recallSent()
      this.#page.shown = this.#page.sent[0]?.id ?? ''
      for (const each of this.#page.sent) void this.follow(each)
    })
  }

  /** A link that ends while the page is open ends the page; everything else is said in the form. */
  async #trying(work: (server: PlaygroundServer) => Promise<void>): Promise<void> {
    this.#page.problem = ''
    try {
      await work(this.#server!)
    } catch (error) {
      if (!(error instanceof Refused || error instanceof SyntaxError)) throw error
      this.#page.problem = error instanceof Refused ? error.message : `This is no JSON: ${error.message}`
      if (error instanceof Refused && error.status === 401) this.#page.closed = 'ended'
      else if (this.#page.stage === undefined) this.#page.closed = 'failed'
    }
  }

  send(): Promise<void> {
    const [stage, draft] = [this.#page.stage!, this.#page.draft!]
    this.#page.isSending = true
    return this.#trying(async server => {
      const { as, label } = SCENE[draft.scene]
      const document = documentOf(draft, stage, `playground-${crypto.randomUUID()}`)
      const id = await server.send(as, document)
      const sent: Sent = { id, as, name: label, document, at: new Date().toISOString() }
      this.#page.sent = rememberSent([sent, ...this.#page.sent.filter(each => each.id !== id)])
      this.#page.shown = id
      this.#page.stage = { ...stage, is_set: true }
      this.#page.note = `${label} was sent.`
      void this.follow(sent)
    }).finally(() => {
      this.#page.isSending = false
    })
  }

  async follow({ id, as }: Sent): Promise<void> {
    const { signal } = this.#ending
    this.#page.waiting = new Set([...this.#page.waiting, id])
    await this.#trying(async server => {
      await follow({
        ask: () => server.outcome(as, id),
        onOutcome: outcome => {
          this.#page.outcomes = new Map([...this.#page.outcomes, [id, outcome]])
        },
        signal,
      })
    })
    this.#page.waiting = new Set([...this.#page.waiting].filter(each => each !== id))
  }

  startOver(): Promise<void> {
    this.#page.isSending = true
    return this.#trying(async server => {
      await server.clear()
      this.#ending.abort()
      this.#ending = new AbortController()
      this.#page.sent = rememberSent([])
      this.#page.outcomes = new Map()
      this.#page.stage = await server.stage()
      this.#page.draft = newDraft(this.#page.stage)
      this.#page.note = 'Everything that the playground made is gone.'
    }).finally(() => {
      this.#page.isSending = false
    })
  }
}
