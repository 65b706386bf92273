import type { LaterWords } from '../words.ts'
import { menus } from './menus.ts'
import { preferences } from './preferences.ts'

export const later: LaterWords = { menus, preferences }
