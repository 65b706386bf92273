/** Reads every source file of the workspaces and lists what it imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const workspaces = ['contract', 'sdk', 'server', 'bench', 'e2e']
const skippedFolders = new Set(['node_modules', 'dist'])

// A clause consists of names, commas, a star and one pair of braces, so the pattern never runs past its statement.
const clause = /(?:[\w$*,\s]|\{[\w$*,\s]*\})*?/.source
const patterns = [
  new RegExp(
    `^[ \\t]*(?:import|export)\\b(?<clause>${clause})\\bfrom\\s*(['"])(?<specifier>[^'"\\n]+)\\2`,
    'gm',
  ),
  /^[ \t]*import\s*(['"])(?<specifier>[^'"\n]+)\1/gm,
  /\bimport\(\s*(['"])(?<specifier>[^'"\n]+)\1/g,
]
const stringsAndComments =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g

/**
 * Each file has its path from the root, its code without comments, and its imports. An import has its line, its
 * specifier, whether it is for types only and, if it is relative, the path from the root that it leads to.
 */
export function scanWorkspaces(root) {
  return workspaces
    .filter(workspace => existsSync(join(root, workspace)))
    .flatMap(workspace => listSources(root, workspace))
    .map(path => scanFile(path, readFileSync(join(root, path), 'utf8')))
}

export function lineOf(code, index) {
  return code.slice(0, index).split('\n').length
}

/** Tests may look behind any door. */
export function isTest({ path }) {
  return /\.(test|suite|fixture|prove)\.ts$/.test(path) || /^[^/]+\/test\//.test(path)
}

function scanFile(path, text) {
  const code = text.replace(stringsAndComments, blankComment)
  const imports = patterns
    .flatMap(pattern => [...code.matchAll(pattern)])
    .map(match => describe(path, code, match))
  return { path, code, imports: imports.sort((a, b) => a.line - b.line) }
}

function describe(path, code, match) {
  const { specifier, clause = '' } = match.groups
  return {
    line: lineOf(code, match.index + match[0].search(/\S/)),
    specifier,
    // `import { type A }` still loads the module; only `import type` does not.
    isTypeOnly: /^\s+type\s+(?!from\b|,)/.test(clause),
    target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined,
  }
}

/** Keeps the line breaks, so that line numbers stay correct. */
function blankComment(token) {
  return token.startsWith('/') ? token.replace(/[^\n]/g, ' ') : token
}

function listSources(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : listSources(root, path)
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}
