import { list } from './es/list.ts'
import { shell } from './es/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
