/** A dialog with all keys. */
import { html } from 'lit'
import type { MenuWords } from '../../locales/menu-words.ts'
import { ICONS } from '../list/icons.ts'
import type { CarillonInboxOverlay } from './carillon-inbox-overlay.ts'

const KEYS: Record<keyof MenuWords['keys'], string[]> = {
  next: ['j', 'k'],
  first: ['Home', 'End'],
  open: ['Enter'],
  done: ['e'],
  read: ['u'],
  save: ['s'],
  snooze: ['h'],
  mute: ['m'],
  undo: ['z'],
  select: ['x'],
  extend: ['Shift + j', 'Shift + k'],
  selectAll: ['Ctrl + a'],
  clear: ['Esc'],
  filter: ['/'],
  help: ['?'],
}

export function openShortcuts(overlay: CarillonInboxOverlay, words: MenuWords): void {
  const rows = Object.entries(KEYS) as [keyof MenuWords['keys'], string[]][]
  void overlay.openDialog(html`<dialog part="shortcuts" aria-labelledby="shortcuts">
    <form method="dialog" class="head">
      <h2 id="shortcuts">${words.shortcuts}</h2>
      <button aria-label=${words.close} title=${words.close}>${ICONS.close}</button>
    </form>
    <dl>
      ${rows.map(
        ([name, keys]) => html`<div>
          <dt>${words.keys[name]}</dt>
          <dd>${keys.map(key => html`<kbd>${key}</kbd>`)}</dd>
        </div>`,
      )}
    </dl>
  </dialog>`)
}
