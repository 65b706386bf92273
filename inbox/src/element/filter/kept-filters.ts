/** Keeps filters under names that people give them, and forgets them. */
import { CarillonError } from '@carillon/sdk/inbox'
import { html, nothing, type TemplateResult } from 'lit'
import { queryOf } from '../../client/views.ts'
import type { MenuWords } from '../../locales/menu-words.ts'
import type { CarillonInbox } from '../carillon-inbox.ts'
import type { CarillonInboxOverlay } from '../overlay/carillon-inbox-overlay.ts'
import { loadOverlay } from '../overlay/load-overlay.ts'

/** As long as the server takes. */
const MAX_NAME = 100

export async function askForName(shell: CarillonInbox, opener: HTMLElement): Promise<void> {
  const [overlay, { menus }] = await Promise.all([
    loadOverlay(opener.closest('.panel')!),
    shell.language.later(),
  ])
  const label = shell.words.saveFilter
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const field = (event.target as HTMLFormElement).elements.namedItem('name') as HTMLInputElement
    void keep(shell, overlay, field.value.trim()).then(problem => {
      if (problem !== undefined && overlay.menu !== undefined)
        overlay.menu = { ...overlay.menu, content: nameForm(menus, submit, problem) }
    })
  }
  await overlay.openMenu({ opener, label, content: nameForm(menus, submit) })
}

/** Gives what the server has against it. */
async function keep(
  shell: CarillonInbox,
  overlay: CarillonInboxOverlay,
  name: string,
): Promise<string | undefined> {
  const { inbox, state, savedFilters } = shell
  if (name === '' || inbox === undefined) return undefined
  try {
    const kept = await inbox.client.saveFilter(name, {
      query: queryOf(state.view),
      position: savedFilters.length,
    })
    shell.savedFilters = [...savedFilters.filter(filter => filter.name !== kept.name), kept]
    overlay.close()
    await shell.show({ tab: 'inbox', query: kept.query })
    return undefined
  } catch (error) {
    shell.tell('carillon-error', { error })
    return error instanceof CarillonError ? (error.errors[0]?.message ?? error.detail) : shell.words.refused
  }
}

export async function removeFilter(shell: CarillonInbox, { name }: { name: string }): Promise<void> {
  await shell.inbox?.client.deleteFilter(name)
  shell.savedFilters = shell.savedFilters.filter(filter => filter.name !== name)
}

function nameForm(menus: MenuWords, submit: (event: SubmitEvent) => void, problem?: string): TemplateResult {
  return html`<form @submit=${submit}>
    <label>
      ${menus.filterName}
      <input name="name" required maxlength=${MAX_NAME} autocomplete="off" dir="auto"
        aria-describedby=${problem === undefined ? nothing : 'problem'} aria-invalid=${problem !== undefined} />
    </label>
    ${problem === undefined ? nothing : html`<p class="problem" id="problem" role="alert" dir="auto">${problem}</p>`}
    <button>${menus.save}</button>
  </form>`
}
