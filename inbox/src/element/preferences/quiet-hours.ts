/** The hours in which a channel is quiet: one window, on some days of the week or on all. */
import type { Channel, QuietWindow, Weekday } from '@carillon/sdk/inbox'
import { html, nothing, type TemplateResult } from 'lit'
import { say } from '../../locales/say.ts'
import { quietHoursOf } from './choices.ts'
import { DAYS, dayName } from './days.ts'
import { type PreferencesPanel, renderSwitch } from './preferences-panel.ts'
import type { Settings } from './source.ts'

const AT_NIGHT: QuietWindow = { start: '22:00', end: '08:00' }

export function renderQuietHours(
  panel: PreferencesPanel,
  settings: Settings,
  channel: Channel,
): TemplateResult {
  const { words } = panel
  const [window, ...others] = quietHoursOf(settings, channel)
  const field = `quiet ${channel}`
  const save = (changed: QuietWindow | null) =>
    panel.save(field, { channels: { [channel]: { quiet_hours: changed === null ? [] : [changed] } } })
  const label = say(words.quietOn, { channel: words.channels[channel] })
  return html`<div class="quiet" role="group" aria-label=${label}>
    ${renderSwitch(words.quietTitle, window !== undefined, isOn => save(isOn ? AT_NIGHT : null))}
    ${
      window === undefined
        ? nothing
        : html`${renderTimes(panel, window, save)} ${renderDays(panel, window, save)}
          ${others.length > 0 ? html`<p class="hint">${words.several}</p>` : nothing}`
    }
    ${panel.renderProblem(field)}
  </div>`
}

type Save = (window: QuietWindow) => unknown

function renderTimes({ words }: PreferencesPanel, window: QuietWindow, save: Save): TemplateResult {
  const time = (label: string, edge: 'start' | 'end') => html`<label class="time">${label}
    <input type="time" required .value=${window[edge] === '24:00' ? '00:00' : window[edge]}
      @change=${(event: Event) => {
        const { value } = event.target as HTMLInputElement
        // A field that somebody is still filling in has none.
        if (value !== '') save({ ...window, [edge]: value })
      }}></label>`
  return html`<div class="choices">${time(words.from, 'start')} ${time(words.until, 'end')}</div>`
}

function renderDays({ words, language }: PreferencesPanel, window: QuietWindow, save: Save): TemplateResult {
  const chosen = window.days ?? DAYS
  const turn = (day: Weekday, isOn: boolean) => {
    const days = DAYS.filter(each => (each === day ? isOn : chosen.includes(each)))
    save({ start: window.start, end: window.end, ...(days.length < DAYS.length && { days }) })
  }
  return html`<div class="days" role="group" aria-label=${words.days}>
    ${DAYS.map(
      (day, index) => html`<label><input type="checkbox" aria-label=${dayName(language.locale, index, 'long')}
        .checked=${chosen.includes(day)}
        @change=${(event: Event) => turn(day, (event.target as HTMLInputElement).checked)}>
        <span aria-hidden="true">${dayName(language.locale, index, 'short')}</span></label>`,
    )}
  </div>`
}
