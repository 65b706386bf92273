/** The code in the docs: fenced blocks, and the single commands of those for a shell. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

export interface Block {
  /** Such as `docs/guides/sql.md:12`. */
  place: string
  language: string
  text: string
}

/** Every document that people follow: README.md first, as it comes first for them. */
export function listDocuments(): string[] {
  const inDocs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
  const guides = inDocs.filter(path => path.endsWith('.md')).map(path => join('docs', path))
  return [
    'README.md',
    ...guides.sort(),
    ...['contract', 'sdk', 'server'].map(name => join(name, 'README.md')),
  ]
}

export function readBlocks(document: string): Block[] {
  const lines = readFileSync(join(repository, document), 'utf8').split('\n')
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [i, line] of lines.entries()) {
    const fence = /^\s*```(\w*)$/.exec(line)
    if (fence === null) {
      if (open !== undefined) open.text += `${line}\n`
    } else if (open === undefined) {
      open = { place: `${document}:${i + 1}`, language: fence[1]!, text: '' }
    } else {
      blocks.push(open)
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${open.place}: the block does not end`)
  return blocks
}

/** One by one, as a reader pastes them: a line belongs to the command before it until the shell finds that complete. */
export function splitCommands({ place, text }: Block): string[] {
  const commands: string[] = []
  let current = ''
  for (const line of text.trimEnd().split('\n')) {
    current += `${line}\n`
    if (/^\s*(#.*)?$/.test(current)) current = ''
    else if (!line.endsWith('\\') && isComplete(current)) {
      commands.push(current.trimEnd())
      current = ''
    }
  }
  if (current !== '') throw new Error(`${place}: the shell does not understand\n${current}`)
  return commands
}

/** Names in angle brackets stand for something, and would be redirections. */
function isComplete(command: string): boolean {
  const text = command.replace(/<[a-z_]+>/g, 'x')
  // A here-document without its end is a warning only.
  const here = /<<-?\s*'?(\w+)'?/.exec(text)
  if (here !== null && !new RegExp(`^${here[1]}$`, 'm').test(text)) return false
  try {
    execFileSync('sh', ['-n'], { input: text, stdio: ['pipe', 'ignore', 'ignore'] })
    return true
  } catch {
    return false
  }
}
