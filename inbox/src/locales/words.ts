/** Everything that the element says, in one language. */
import type { ListWords } from './list-words.ts'
import type { MenuWords } from './menu-words.ts'
import type { PreferencesWords } from './preferences-words.ts'
import type { ShellWords } from './shell-words.ts'

/** What everybody sees who sees rows. */
export interface Words {
  list: ListWords
  shell: ShellWords
}

/** What belongs to parts that are loaded when somebody opens them, and is loaded with them. */
export interface LaterWords {
  menus: MenuWords
  preferences: PreferencesWords
}
