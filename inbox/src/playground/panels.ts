/** The panels around the form: what each shows, and what it says while it has nothing to show. */
import type { PlaygroundMessage, PlaygroundOutcome, PlaygroundPerson, PlaygroundStage } from '@carillon/sdk'
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { messageCard, type NameOf } from './messages.ts'
import type { Sent } from './session.ts'
import { story } from './story.ts'
import { clock, dayAndTime } from './times.ts'

export function topBar(stage: PlaygroundStage, isBusy: boolean, onStartOver: () => void): TemplateResult {
  const { tenant, exits, is_set, expires_at } = stage
  const [kind, words] =
    exits.length === 0 ? ['ok', 'Nothing leaves this machine'] : ['warn', 'Nothing is sent here']
  return html`<header class="top">
    <h1>Carillon <span>playground</span></h1>
    <p class="state ${kind}">${words}</p>
    <p class="tenant">Tenant <strong>${tenant}</strong></p>
    <p class="until">Link works until ${dayAndTime(expires_at)}</p>
    <button type="button" class="quiet" ?disabled=${!is_set || isBusy} @click=${onStartOver}>Start over</button>
  </header>`
}

export interface InboxPanel {
  person: PlaygroundPerson
  /** Whether the person exists. */
  isSet: boolean
  url: string
  nameOf: NameOf
  refreshToken(): Promise<string>
}

export function inboxPanel({ person, isSet, url, nameOf, refreshToken }: InboxPanel): TemplateResult {
  const { id, name, email } = person
  return html`<section id=${name} class="panel inbox" aria-labelledby=${id}>
    <h2 id=${id}>${name}’s inbox <small>${email}</small></h2>
    <div class="body">
      ${
        isSet
          ? html`<carillon-inbox
              mode="page"
              .url=${url}
              .refreshToken=${refreshToken}
              .profileOf=${(who: string) => ({ name: nameOf(who) })}
            ></carillon-inbox>`
          : html`<div class="empty">
              <p><strong>${name} does not exist yet.</strong></p>
              <p>The first thing you send creates her. Here comes the element <code>&lt;carillon-inbox&gt;</code>, as it would be on a page of yours.</p>
            </div>`
      }
    </div>
  </section>`
}

export function messagesPanel(
  messages: PlaygroundMessage[],
  isWaiting: boolean,
  nameOf: NameOf,
): TemplateResult {
  const count = messages.length > 0 ? html`<small>${messages.length} captured</small>` : nothing
  return html`<section id="Messages" class="panel messages" aria-labelledby="messages-title">
    <h2 id="messages-title">Messages ${count}</h2>
    <div class="body" tabindex="0" role="group" aria-labelledby="messages-title">
      ${
        messages.length > 0
          ? repeat(
              messages,
              ({ id }) => id,
              message => messageCard(message, nameOf),
            )
          : isWaiting
            ? html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`
            : html`<div class="empty">
                <p><strong>No messages yet.</strong></p>
                <p>Mails, text messages and pushes appear here as people would see them, instead of being sent.</p>
              </div>`
      }
    </div>
  </section>`
}

export interface StoryPanel {
  sent: Sent[]
  shown: Sent | undefined
  outcome: PlaygroundOutcome | undefined
  isWaiting: boolean
  nameOf: NameOf
  onShow(id: string): void
  onLookAgain(sent: Sent): void
}

export function storyPanel(panel: StoryPanel): TemplateResult {
  const { sent, shown, outcome, nameOf } = panel
  return html`<section id="Story" class="panel story" aria-labelledby="story-title">
    <h2 id="story-title">How it came about ${sent.length > 1 ? chooser(panel) : nothing}</h2>
    <div class="body" tabindex="0" role="group" aria-labelledby="story-title">
      ${
        outcome === undefined
          ? html`<div class="empty">
              <p><strong>${shown === undefined ? 'Nothing has happened yet.' : 'Just a moment …'}</strong></p>
              <p>Every decision is explained: who was told, by which rule, on which channel, and why not. <code>npx carillon explain</code> tells the same.</p>
            </div>`
          : html`${story(outcome, nameOf)} ${outcome.is_settled ? nothing : rest(panel)}`
      }
    </div>
  </section>`
}

function chooser({ sent, shown, onShow }: StoryPanel): TemplateResult {
  return html`<select
    aria-label="What the story is about"
    @change=${(event: Event) => onShow((event.target as HTMLSelectElement).value)}
  >
    ${sent.map(
      ({ id, name, at }) =>
        html`<option value=${id} ?selected=${id === shown?.id}>${name}, ${clock(at)}</option>`,
    )}
  </select>`
}

/** After half a minute the page stops asking by itself. */
function rest({ shown, isWaiting, onLookAgain }: StoryPanel): TemplateResult {
  if (isWaiting) return html`<p class="hint">More is on its way …</p>`
  return html`<button type="button" class="quiet" @click=${() => onLookAgain(shown!)}>Look again</button>`
}
