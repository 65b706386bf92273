import { list } from './fr/list.ts'
import { shell } from './fr/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
