/**
 * Holds that the dashboard opens quickly: what its first page loads, what each other page adds, and the editors, which are
 * loaded only where somebody edits. With --print it says all sizes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const KB = 1024
const LIMITS = {
  /** Scripts of the first page, with its charts. */
  first: 200 * KB,
  /** What any other page adds to what the first has loaded. */
  page: 40 * KB,
  /** An editor or a chart, loaded when it is shown. */
  part: 200 * KB,
  style: 20 * KB,
}

const ENTRY = 'index.html'
const FIRST_PAGE = 'src/pages/overview/overview-page.tsx'
const FIRST_CHART = 'src/ui/time-chart.tsx'

/** Gives the size of everything by its name, and every violation. `sizeOf` answers the compressed bytes of a file. */
export function checkPages(manifest, sizeOf, limits = LIMITS) {
  const base = loadedBy(manifest, [ENTRY])
  const added = name => [...loadedBy(manifest, [name])].filter(file => !base.has(file))
  const bytes = files => [...files].reduce((total, file) => total + sizeOf(file), 0)
  const parts = Object.keys(manifest).filter(name => manifest[name].isDynamicEntry)
  const styles = new Set(Object.values(manifest).flatMap(({ css = [] }) => css))
  const sizes = [
    {
      name: 'first load',
      bytes: bytes(loadedBy(manifest, [ENTRY, FIRST_PAGE, FIRST_CHART])),
      limit: limits.first,
    },
    ...parts.map(name => ({
      name,
      bytes: bytes(added(name)),
      limit: name.startsWith('src/pages/') ? limits.page : limits.part,
    })),
    { name: 'style sheets', bytes: bytes(styles), limit: limits.style },
  ]
  return { sizes, violations: sizes.filter(({ bytes: size, limit }) => size > limit) }
}

/** The scripts that a browser loads before it runs these. */
function loadedBy(manifest, names, known = new Set()) {
  for (const name of names) {
    const chunk = manifest[name]
    if (chunk === undefined) throw new Error(`The dashboard has no ${name}; run "npm run build" first.`)
    if (known.has(chunk.file)) continue
    known.add(chunk.file)
    loadedBy(manifest, chunk.imports ?? [], known)
  }
  return known
}

const kilobytes = bytes => `${(bytes / KB).toFixed(1)} KB`

if (argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL('../dashboard/dist/', import.meta.url))
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'))
  const sizeOf = file => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length
  const { sizes, violations } = checkPages(manifest, sizeOf)
  if (argv.includes('--print'))
    for (const { name, bytes } of sizes) console.log(`${kilobytes(bytes).padStart(9)}  ${name}`)
  for (const { name, bytes, limit } of violations)
    console.log(`dashboard: ${name} has ${kilobytes(bytes)}, more than ${kilobytes(limit)}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
