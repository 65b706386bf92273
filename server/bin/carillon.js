#!/usr/bin/env node
import { existsSync } from 'node:fs'

const ENOUGH_FILES = 256
const main = new URL('../dist/main.js', import.meta.url)
if (!existsSync(main)) {
  console.error('Carillon is not built yet. Run `npm run build` first.')
  process.exit(1)
}
try {
  await import(main.href)
} catch (error) {
  // Loading the modules opens many files at once, and what fails then is sometimes called a module that is missing.
  const maxFiles = process.report.getReport().userLimits?.open_files.soft
  if (!(maxFiles < ENOUGH_FILES)) throw error
  console.error(
    `This process may open only ${maxFiles} files. Raise the limit (\`ulimit -n 4096\`) and start it again.`,
  )
  process.exit(1)
}
