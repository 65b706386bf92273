import { list } from './de/list.ts'
import { shell } from './de/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
