/** The parts of the preference page's form that are about time: how often, quiet hours, a pause. */
import { TIME_ZONES } from '@carillon/contract'
import type { PageTexts } from '../../content/translations/page-texts.ts'
import { type Html, html, Html as RawHtml } from '../../platform/text/html.ts'
import type { FormView } from './form.ts'
import { MORNING, PAUSES } from './form-pause.ts'
import type { QuietField } from './form-quiet.ts'
import { categoryLabel, clockTime, weekdaysOf } from './labels.ts'

const FREQUENCIES = ['message', 'hour', 'day', 'week'] as const

export function digestSection(texts: PageTexts, { frequencies, digestTime, categories }: FormView): Html {
  const { text } = texts
  const fields = frequencies.map(({ category, name, every }) => {
    const row = categories.find(each => each.category === category)!
    const options = FREQUENCIES.map(value => option(text(`page.often.${value}`), value === every, value))
    return html`<label class="frequency"><span><bdi>${categoryLabel(texts, row)}</bdi></span> <select name="${name}">${options}</select></label>
    `
  })
  const days = weekdaysOf(texts).map(({ day, name }) => option(name, day === digestTime.on, day))
  return html`<section aria-labelledby="often">
    <h2 id="often">${text('page.often.title')}</h2>
    ${fields}<div class="fields">
      <label>${text('page.often.at')} <input type="time" name="digest_at" value="${digestTime.at}" required></label>
      <label>${text('page.often.on')} <select name="digest_on">${days}</select></label>
    </div>
    <p class="hint">${text('page.often.hint')}</p>
  </section>`
}

export function quietSection(texts: PageTexts, { quiet, timezone }: FormView): Html {
  const { text } = texts
  const [first, ...others] = quiet.map(field => quietRow(texts, field))
  const isMore = quiet.slice(1).some(({ isOn }) => isOn)
  return html`<section aria-labelledby="when">
    <h2 id="when">${text('page.quiet.title')}</h2>
    <input type="hidden" name="quiet_rows" value="${quiet.length}">
    ${first!}
    <details${isMore && new RawHtml(' open')}><summary>${text('page.quiet.more')}</summary>
    ${others}</details>
    <div class="fields">
      <label class="wide">${text('page.quiet.zone')} <select name="timezone">${zonesWith(timezone).map(zone => option(zone, zone === timezone))}</select></label>
    </div>
    <p class="hint">${text('page.quiet.hint')}</p>
  </section>`
}

function quietRow(texts: PageTexts, { isOn, start, end, days, names }: QuietField): Html {
  const { text } = texts
  const boxes = weekdaysOf(texts).map(
    ({ day, name, short }) =>
      html`<label><input type="checkbox" name="${names.day(day)}"${days.includes(day) && new RawHtml(' checked')} aria-label="${name}"><span aria-hidden="true">${short}</span></label>`,
  )
  return html`<fieldset class="window">
      <legend class="hidden">${text('page.quiet.title')}</legend>
      <label class="switch"><input type="checkbox" name="${names.isOn}"${isOn && new RawHtml(' checked')}> ${text('page.quiet.switch')}</label>
      <div class="fields">
        <label>${text('page.quiet.from')} <input type="time" name="${names.start}" value="${start}" required></label>
        <label>${text('page.quiet.until')} <input type="time" name="${names.end}" value="${end}" required></label>
        <div class="days" role="group" aria-label="${text('page.quiet.days')}">${boxes}</div>
      </div>
    </fieldset>
    `
}

export function pauseSection(texts: PageTexts, { pause }: FormView): Html {
  const { text } = texts
  const time = clockTime(texts, MORNING)
  const options = PAUSES.map(value =>
    option(text(`page.pause.${value}`, value === 'tomorrow' ? { time } : {}), value === pause.chosen, value),
  )
  return html`<section aria-labelledby="pause">
    <h2 id="pause">${text('page.pause.title')}</h2>
    <div class="fields">
      <label class="wide">${text('page.pause.length')} <select name="pause">${options}</select></label>
      <label class="wide">${text('page.pause.end')} <input type="datetime-local" name="pause_until" value="${pause.until}"></label>
    </div>
    <p class="hint">${text('page.pause.hint')}</p>
  </section>`
}

function option(label: string, isChosen: boolean, value = label): Html {
  return html`<option value="${value}"${isChosen && new RawHtml(' selected')}>${label}</option>`
}

function zonesWith(chosen: string): string[] {
  return [...new Set(['UTC', chosen, ...TIME_ZONES])].sort()
}
