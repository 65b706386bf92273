import { list } from './ja/list.ts'
import { shell } from './ja/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
