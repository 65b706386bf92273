import { list } from './ar/list.ts'
import { shell } from './ar/shell.ts'
import type { Words } from './words.ts'

export const words: Words = { list, shell }
