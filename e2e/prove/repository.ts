/** Where the sources are, for what runs from dist. */
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../../..', import.meta.url))
