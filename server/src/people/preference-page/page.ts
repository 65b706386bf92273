/** A person's own preference page: a plain form, no scripts. */
import type { PageTexts } from '../../content/translations/page-texts.ts'
import type { Document } from '../../platform/pages/document.ts'
import { type Html, html, Html as RawHtml } from '../../platform/text/html.ts'
import { type CategoryField, type Checkbox, type FormView, formOf } from './form.ts'
import { frame, type PageContext } from './frame.ts'
import { categoryDescription, categoryLabel, channelName, listOf, momentIn } from './labels.ts'
import { digestSection, pauseSection, quietSection } from './sections.ts'

export interface PreferencesPage extends PageContext {
  view: FormView
  /** What is stored, where the view shows something else: entries that could not be saved. */
  stored?: FormView
  /** Whose preferences: the email address, else the id. */
  person: string
  notice: 'none' | 'saved' | 'invalid' | 'invalid_quiet'
}

export function preferencesPage(page: PreferencesPage): Document {
  const { view, person, notice, brand, texts } = page
  const { text } = texts
  const sender = brand?.name
  const intro =
    sender === undefined ? text('page.preferences.intro_unnamed') : text('page.preferences.intro', { sender })
  return frame(
    page,
    text('page.preferences.title'),
    html`<header>
  <h1>${text('page.preferences.title')}</h1>
  <p>${intro}</p>
  <p class="whose"><bdi>${person}</bdi></p>
</header>
${notice === 'saved' && html`<p class="notice ok" role="status">${text('page.preferences.saved')}</p>`}
${notice === 'invalid' && html`<p class="notice bad" role="alert">${text('page.preferences.invalid')}</p>`}
${notice === 'invalid_quiet' && html`<p class="notice bad" role="alert">${text('page.quiet.invalid')}</p>`}
${view.pause.active.length > 0 && pauseNotice(page)}
<form method="post">
  <input type="hidden" name="shown" value="${formOf(page.stored ?? view).toString()}">
  ${whatSection(page)}
  ${view.frequencies.length > 0 && digestSection(texts, view)}
  ${quietSection(texts, view)}
  ${pauseSection(texts, view)}
  <div class="actions"><button type="submit">${text('page.preferences.save')}</button></div>
</form>`,
  )
}

/** Its own form, which shows nothing else and so changes nothing else. */
function pauseNotice({ texts, view: { pause, timezone } }: PreferencesPage): Html {
  const { text } = texts
  const lines = pause.active.map(({ until, channels }) => {
    const moment = momentIn(texts, until, timezone)
    const names = channels.map(channel => channelName(texts, channel))
    return pause.isOnAll
      ? text('page.pause.active', { until: moment })
      : text('page.pause.active_on', { until: moment, channels: listOf(texts, names) })
  })
  return html`<form method="post" class="notice warn paused">
  <input type="hidden" name="shown" value="">
  <input type="hidden" name="pause" value="none">
  <div>${lines.map(line => html`<p>${line}</p>`)}</div>
  <button type="submit" class="quiet">${text('page.pause.stop')}</button>
</form>`
}

function whatSection({ texts, view }: PreferencesPage): Html {
  const { text } = texts
  const columns = view.channels.map(({ channel }) => ({ channel, name: channelName(texts, channel) }))
  const hasRequired = view.categories.some(({ required }) => required)
  return html`<section aria-labelledby="what">
    <h2 id="what">${text('page.what.title')}</h2>
    <table>
      <caption class="hidden">${text('page.what.caption')}</caption>
      <thead><tr><th scope="col"><span class="hidden">${text('page.what.category')}</span></th>${columns.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>
        ${view.categories.map(category => categoryRow(texts, columns, category))}
        ${row({ label: text('page.what.everything'), hints: [], kind: 'all', isLocked: false }, columns, view.channels)}
      </tbody>
    </table>
    <p class="hint">${text(hasRequired ? 'page.what.hint_required' : 'page.what.hint')}</p>
  </section>`
}

interface Column {
  channel: Checkbox['channel']
  name: string
}

interface Row {
  label: string
  hints: string[]
  kind: string
  isLocked: boolean
}

function categoryRow(texts: PageTexts, columns: Column[], category: CategoryField): Html {
  const isLocked = category.required
  const hints = [categoryDescription(texts, category), isLocked ? texts.text('page.what.required') : '']
  const label = categoryLabel(texts, category)
  return row(
    { label, hints: hints.filter(hint => hint !== ''), kind: '', isLocked },
    columns,
    category.checkboxes,
  )
}

function row({ label, hints, kind, isLocked }: Row, columns: Column[], checkboxes: Checkbox[]): Html {
  const cells = columns.map(({ channel, name }) => {
    const checkbox = checkboxes.find(each => each.channel === channel)
    if (checkbox === undefined) return html`<td class="none"><span aria-hidden="true">–</span></td>`
    const state = `${checkbox.isWanted ? ' checked' : ''}${isLocked ? ' disabled' : ''}`
    return html`<td><label><input type="checkbox" name="${checkbox.name}"${new RawHtml(state)} aria-label="${label}: ${name}"><span class="narrow" aria-hidden="true">${name}</span></label></td>`
  })
  const below = hints.map(hint => html` <span class="hint"><bdi>${hint}</bdi></span>`)
  return html`<tr class="${kind}"><th scope="row"><bdi>${label}</bdi>${below}</th>${cells}</tr>
        `
}
