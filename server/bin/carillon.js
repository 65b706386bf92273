#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)
if (!existsSync(main)) {
  console.error('Carillon is not built yet. Run `npm run build` first.')
  process.exit(1)
}
try {
  await import(main.href)
} catch (error) {
  // The modules alone are more files than that, and our own messages are in them.
  if (error.code !== 'EMFILE') throw error
  console.error('This process may open too few files. Raise the limit (`ulimit -n 4096`) and start it again.')
  process.exit(1)
}
