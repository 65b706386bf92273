/** The form on the left: what happens, who does it, to whom, and what they say. */
import type { PlaygroundStage } from '@carillon/sdk'
import { html, nothing, type TemplateResult } from 'lit'
import { type Draft, SCENE, SCENES, type SceneName } from './scenes.ts'

export interface SendForm {
  stage: PlaygroundStage
  draft: Draft
  isSending: boolean
  /** What was wrong with the last attempt, in the server's words. */
  problem: string
  onChange(changes: Partial<Draft>): void
  onSend(): void
}

export function sendForm(form: SendForm): TemplateResult {
  const { stage, draft, isSending, problem } = form
  const isClosed = stage.exits.length > 0
  return html`<form
    @submit=${(event: Event) => {
      event.preventDefault()
      form.onSend()
    }}
  >
    <fieldset class="scenes">
      <legend>What happens</legend>
      ${SCENES.map(name => sceneChoice(name, form))}
    </fieldset>
    ${draft.scene === 'free' ? ownIntent(form) : fields(form)}
    ${problem === '' ? nothing : html`<p class="notice bad" role="alert">${problem}</p>`}
    <button class="primary" type="submit" ?disabled=${isSending || isClosed}>
      ${isSending ? 'Sending …' : 'Send'}
    </button>
    ${channelNote(stage)}
  </form>`
}

function sceneChoice(name: SceneName, { draft, onChange }: SendForm): TemplateResult {
  const { label, hint, text } = SCENE[name]
  return html`<label class="scene">
    <input
      type="radio"
      name="scene"
      .checked=${draft.scene === name}
      @change=${() => onChange({ scene: name, text })}
    />
    <span><strong>${label}</strong><small>${hint}</small></span>
  </label>`
}

function fields({ stage, draft, onChange }: SendForm): TemplateResult {
  const { as, asksWhom } = SCENE[draft.scene]
  const everybody = [stage.actor, ...stage.people]
  const whom = asksWhom ? choice('To whom', stage.people, draft.whom, whom => onChange({ whom })) : nothing
  return html`${
    as === 'events'
      ? html`<div class="pair">
            ${choice('Who does it', everybody, draft.actor, actor => onChange({ actor }))} ${whom}
          </div>`
      : nothing
  }
    <label class="field">
      <span>What they say</span>
      <input
        name="text"
        maxlength="300"
        required
        autocomplete="off"
        .value=${draft.text}
        @input=${(event: Event) => onChange({ text: (event.target as HTMLInputElement).value })}
      />
    </label>`
}

function choice(
  label: string,
  people: readonly { id: string; name: string }[],
  value: string,
  onChange: (id: string) => void,
): TemplateResult {
  return html`<label class="field">
    <span>${label}</span>
    <select @change=${(event: Event) => onChange((event.target as HTMLSelectElement).value)}>
      ${people.map(({ id, name }) => html`<option value=${id} ?selected=${id === value}>${name}</option>`)}
    </select>
  </label>`
}

function ownIntent({ draft, onChange }: SendForm): TemplateResult {
  return html`<label class="field">
    <span>The intent</span>
    <textarea
      name="json"
      rows="12"
      spellcheck="false"
      required
      .value=${draft.json}
      @input=${(event: Event) => onChange({ json: (event.target as HTMLTextAreaElement).value })}
    ></textarea>
  </label>`
}

const CHANNEL_NAMES: Record<string, string> = { email: 'mail', sms: 'text messages', push: 'pushes' }

function channelNote({ channels, exits, is_set }: PlaygroundStage): TemplateResult {
  if (exits.length > 0)
    return html`<p class="notice warn">
      Nothing is sent here, because nothing may leave this machine. ${exits.join(' ')}
    </p>`
  const real = channels.filter(({ is_used }) => !is_used).map(({ channel }) => CHANNEL_NAMES[channel])
  if (real.length === 0) {
    const first = is_set ? nothing : 'The first thing you send creates Ada and Grace.'
    return html`<p class="hint">${first} Mails, text messages and pushes are captured, not sent.</p>`
  }
  return html`<p class="notice warn">
    A real provider is set up for ${real.join(' and ')}. The playground does not use it: what you see
    here never leaves this machine.
  </p>`
}
