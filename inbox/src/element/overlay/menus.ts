/** The menus of rows: all that can be done with one, and how long to snooze. */
import type { InboxItem } from '@carillon/sdk'
import { html, type TemplateResult } from 'lit'
import type { TriageAction } from '../../client/state.ts'
import type { ListWords } from '../../locales/list-words.ts'
import type { MenuWords } from '../../locales/menu-words.ts'
import { actionsFor } from '../list/actions-for.ts'
import { ICONS } from '../list/icons.ts'
import type { Times } from '../list/times.ts'
import type { CarillonInboxOverlay, Choice } from './carillon-inbox-overlay.ts'
import { snoozeTimes } from './snooze-times.ts'
import { fromField, momentOf, toField, wallTimeAt } from './zoned-time.ts'

export interface MenuContext {
  words: ListWords
  menus: MenuWords
  times: Times
  zone: string
  opener: HTMLElement
}

interface RowMenu {
  isSelected: boolean
  act(action: TriageAction): void
  select(): void
}

/** For where there is no room for buttons, or no mouse. */
export function openRowMenu(
  overlay: CarillonInboxOverlay,
  { words, menus, opener }: MenuContext,
  item: InboxItem,
  { isSelected, act, select }: RowMenu,
): void {
  const choices: Choice[] = actionsFor(item).map(action => ({
    label: words.actions[action],
    icon: ICONS[action],
    run: () => act(action),
  }))
  const last = { label: isSelected ? menus.deselect : words.select, icon: ICONS.select, run: select }
  void overlay.openMenu({ opener, label: words.more, content: [...choices, last] })
}

export function openSnoozeMenu(
  overlay: CarillonInboxOverlay,
  context: MenuContext,
  snooze: (until: Date) => void,
): void {
  const { menus, times, zone, opener } = context
  const now = Date.now()
  const choices: Choice[] = snoozeTimes(now, zone).map(({ name, until }) => ({
    label: menus[name],
    hint: times.soon(until.getTime(), now),
    run: () => snooze(until),
  }))
  const label = menus.snoozeUntil
  const form = timeForm(context, now, until => {
    overlay.close()
    snooze(until)
  })
  const choose = () => void overlay.openMenu({ opener, label, content: form })
  const content = [...choices, { label: `${menus.chooseTime}…`, run: choose }]
  void overlay.openMenu({ opener, label, content })
}

const MINUTE_MS = 60_000
/** The server takes what is within a year. */
const LONGEST_MS = 365 * 1440 * MINUTE_MS

/** On the clock of the person, which the browser’s need not be. */
function timeForm(
  { words, menus, zone }: MenuContext,
  now: number,
  snooze: (until: Date) => void,
): TemplateResult {
  const tomorrow = snoozeTimes(now, zone).find(({ name }) => name === 'tomorrow')!
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const field = (event.target as HTMLFormElement).elements.namedItem('until') as HTMLInputElement
    const wall = fromField(field.value)
    if (wall !== undefined) snooze(new Date(momentOf(wall, zone)))
  }
  return html`<form @submit=${submit}>
    <label>
      ${menus.snoozeUntil}
      <input
        type="datetime-local"
        name="until"
        required
        .value=${toField(wallTimeAt(tomorrow.until.getTime(), zone))}
        min=${toField(wallTimeAt(now + MINUTE_MS, zone))}
        max=${toField(wallTimeAt(now + LONGEST_MS, zone))}
      />
    </label>
    <button>${words.actions.snooze}</button>
  </form>`
}
