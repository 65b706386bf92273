/** How often a category may interrupt: with each message, or with a digest of them at a time of the person's choice. */
import type { Channel, DigestSchedule, SettingsCategory, Weekday } from '@carillon/sdk/inbox'
import { html, nothing, type TemplateResult } from 'lit'
import { say } from '../../locales/say.ts'
import { digestOf, interrupts } from './choices.ts'
import { DAYS, dayName } from './days.ts'
import type { PreferencesPanel } from './preferences-panel.ts'
import type { Settings } from './source.ts'

const FREQUENCIES = ['message', 'hour', 'day', 'week'] as const
type Frequency = (typeof FREQUENCIES)[number]

const AT = '08:00'
const ON: Weekday = 'monday'

/** Nothing for what never interrupts anybody. */
export function renderDigest(
  panel: PreferencesPanel,
  settings: Settings,
  { category, name, channels: all }: SettingsCategory,
): TemplateResult | typeof nothing {
  const { words } = panel
  const channels = all.filter(interrupts)
  if (channels.length === 0) return nothing
  const chosen = digestOf(settings, category, channels)
  const at = 'at' in chosen ? chosen.at : AT
  const on = 'on' in chosen ? chosen.on : ON
  const save = (schedule: DigestSchedule) => saveDigest(panel, category, channels, schedule)
  return html`<div class="choices">
    ${select(
      words.oftenTitle,
      say(words.categoryOn, { category: name, channel: words.oftenTitle }),
      FREQUENCIES.map(every => [every, words.often[every]]),
      chosen.every,
      every => save(scheduleOf(every as Frequency, at, on)),
    )}
    ${
      'on' in chosen
        ? select(
            words.digestOn,
            say(words.categoryOn, { category: name, channel: words.digestOn }),
            DAYS.map((day, index) => [day, dayName(panel.language.locale, index, 'long')]),
            on,
            day => save(scheduleOf(chosen.every, at, day as Weekday)),
          )
        : nothing
    }
    ${
      'at' in chosen
        ? html`<label class="time">${words.digestAt}<input type="time" required .value=${at}
            aria-label=${say(words.categoryOn, { category: name, channel: words.digestAt })}
            @change=${(event: Event) => {
              const { value } = event.target as HTMLInputElement
              if (value !== '') save(scheduleOf(chosen.every, value, on))
            }}></label>`
        : nothing
    }
  </div>`
}

function select(
  text: string,
  label: string,
  options: readonly (readonly [value: string, name: string])[],
  chosen: string,
  choose: (value: string) => unknown,
): TemplateResult {
  return html`<label class="time">${text}<select aria-label=${label}
    @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
    ${options.map(([value, name]) => html`<option value=${value} .selected=${value === chosen}>${name}</option>`)}
  </select></label>`
}

function scheduleOf(every: Frequency, at: string, on: Weekday): DigestSchedule {
  if (every === 'day') return { every, at }
  return every === 'week' ? { every, on, at } : { every }
}

function saveDigest(
  panel: PreferencesPanel,
  category: string,
  channels: readonly Channel[],
  schedule: DigestSchedule,
): Promise<void> {
  const byChannel = Object.fromEntries(channels.map(channel => [channel, schedule]))
  return panel.save(category, { digests: { [category]: byChannel } })
}
