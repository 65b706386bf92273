import { list } from './en/list.ts'
import { shell } from './en/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
