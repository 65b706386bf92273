import { list } from './pt/list.ts'
import { shell } from './pt/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
