/**
 * What browsers load, compressed. `npm run verify` fails when something is larger than its limit; `npx size-limit` prints
 * all sizes.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** <carillon-inbox> stays small for the pages that load it. */
function inbox() {
  const folder = 'inbox/dist/browser'
  const names = readdirSync(folder).filter(name => name.endsWith('.js'))
  const staticImports = name =>
    [...readFileSync(`${folder}/${name}`, 'utf8').matchAll(/\b(?:from|import) ?["']\.\/([^"']+)["']/g)].map(
      ([, imported]) => imported,
    )
  const first = loadedBy(['carillon-inbox.js'], staticImports)
  // everything around the rows, and the rows; the words of English come first
  const panel = names.filter(name => name.startsWith('part-panel-'))
  const rows = loadedBy(['carillon-inbox.js', ...panel], staticImports)
  const parts = names.filter(name => name.startsWith('part-') && !rows.includes(name))
  const limit = (name, files, limit) => ({ name: `inbox: ${name}`, path: paths(folder, files), limit })
  return [
    limit('loaded at once', first, '24 KiB'),
    limit('loaded to show rows', rows, '36.5 KiB'),
    ...parts.map(part => limit(part, [part], '5 KiB')),
  ]
}

/** The dashboard opens quickly; editors and charts are loaded only where they are shown. */
function dashboard() {
  const folder = 'dashboard/dist'
  const manifest = JSON.parse(readFileSync(`${folder}/.vite/manifest.json`, 'utf8'))
  const filesOf = names =>
    loadedBy(names, name => manifest[name].imports ?? []).map(name => manifest[name].file)
  const base = filesOf(['index.html'])
  const styles = new Set(Object.values(manifest).flatMap(({ css = [] }) => css))
  const limit = (name, files, limit) => ({ name: `dashboard: ${name}`, path: paths(folder, files), limit })
  return [
    limit(
      'first page with its charts',
      filesOf(['index.html', 'src/pages/overview/overview-page.tsx', 'src/ui/time-chart.tsx']),
      '200 KiB',
    ),
    ...Object.keys(manifest)
      .filter(name => manifest[name].isDynamicEntry)
      .map(name => {
        const added = filesOf([name]).filter(file => !base.includes(file))
        return limit(name, added, name.startsWith('src/pages/') ? '40 KiB' : '200 KiB')
      }),
    limit('style sheets', [...styles], '20 KiB'),
  ]
}

/** The named and all that a browser loads before it runs them. */
function loadedBy(names, importsOf) {
  const loaded = new Set(names)
  for (const name of loaded) for (const imported of importsOf(name)) loaded.add(imported)
  return [...loaded]
}

function paths(folder, files) {
  return files.map(file => `${folder}/${file}`)
}

export default [...inbox(), ...dashboard()].map(check => ({ ...check, gzip: true }))
