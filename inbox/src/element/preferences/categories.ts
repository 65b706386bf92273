/** What a person gets: on which channels, and how often. */
import type { Channel, SettingsCategory } from '@carillon/sdk/inbox'
import { html, nothing, type TemplateResult } from 'lit'
import { say } from '../../locales/say.ts'
import { isCategoryOn } from './choices.ts'
import { renderDigest } from './digests.ts'
import type { PreferencesPanel } from './preferences-panel.ts'
import type { Settings } from './source.ts'

export function renderCategories(panel: PreferencesPanel, settings: Settings): TemplateResult {
  const { words } = panel
  return html`<section aria-labelledby="categories">
    <h3 id="categories">${words.categoriesTitle}</h3>
    ${settings.categories.map(each => renderCategory(panel, settings, each))}
    <p class="hint">${words.categoriesHint}</p>
  </section>`
}

function renderCategory(panel: PreferencesPanel, settings: Settings, each: SettingsCategory): TemplateResult {
  const { words } = panel
  const { category, name, description, required, channels } = each
  const turn = (event: Event, channel: Channel) => {
    const { checked } = event.target as HTMLInputElement
    void panel.save(category, { categories: { [category]: { [channel]: checked } } })
  }
  return html`<fieldset>
    <legend><bdi>${name}</bdi>${required ? html`<span class="tag">${words.required}</span>` : nothing}</legend>
    ${description === '' ? nothing : html`<p class="hint"><bdi>${description}</bdi></p>`}
    <div class="choices">
      ${channels.map(
        channel => html`<label class="box"><input type="checkbox" ?disabled=${required}
          aria-label=${say(words.categoryOn, { category: name, channel: words.channels[channel] })}
          .checked=${required || isCategoryOn(settings, category, channel)}
          @change=${(event: Event) => turn(event, channel)}>
          ${words.channels[channel]}</label>`,
      )}
    </div>
    ${renderDigest(panel, settings, each)} ${panel.renderProblem(category)}
  </fieldset>`
}
