/** The choice of how rows are grouped. */
import type { CarillonInbox, Grouping } from './carillon-inbox.ts'
import * as icons from './icons.ts'
import { loadOverlay } from './overlay/load-overlay.ts'

const CHOICES: readonly Grouping[] = ['none', 'topic', 'date']

export async function openGroupMenu(shell: CarillonInbox, opener: HTMLElement): Promise<void> {
  const [overlay, { menus }] = await Promise.all([
    loadOverlay(opener.closest('.panel')!),
    shell.language.later(),
  ])
  const chosen = shell.group || 'none'
  const content = CHOICES.map(choice => ({
    label: menus.groups[choice],
    icon: choice === chosen ? icons.tick() : icons.none(),
    isChosen: choice === chosen,
    run: () => {
      shell.group = choice
    },
  }))
  await overlay.openMenu({ opener, label: shell.words.groupBy, content })
}
