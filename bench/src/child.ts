/** Child processes of a benchmark: what is measured and what measures it never share an event loop. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Child {
  ask<Answer>(question: unknown): Promise<Answer>
  stop(): Promise<void>
}

type Reply = { answer: unknown } | { error: string }

/** Starts a process from a file beside the caller. Its stdout is discarded, which costs it as much as a collected log. */
export async function startChild(entry: URL, input: unknown): Promise<Child> {
  const child = fork(fileURLToPath(entry), [JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await nextReply(child)
  return {
    async ask<Answer>(question: unknown) {
      child.send({ question })
      return (await nextReply(child)) as Answer
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

async function nextReply(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const died = once(child, 'exit', ended).then(([code]) => {
    throw new Error(`${child.spawnargs[1]} ended with ${code}`)
  })
  try {
    const [reply] = (await Promise.race([once(child, 'message', ended), died])) as [Reply]
    if ('error' in reply) throw new Error(reply.error)
    return reply.answer
  } finally {
    died.catch(() => {})
    ended.abort()
  }
}

export interface Part<Question> {
  answer(question: Question): Promise<unknown>
  stop(): Promise<void>
}

/** The child's side: starts the part, answers one question after another, and ends when the parent is gone. */
export async function serveParent<Input, Question>(
  start: (input: Input) => Promise<Part<Question>>,
): Promise<void> {
  const part = await start(JSON.parse(process.argv[2]!))
  process.on('message', ({ question }: { question: Question }) => {
    part.answer(question).then(
      answer => process.send!({ answer }),
      error => process.send!({ error: error.stack }),
    )
  })
  process.once('disconnect', () => void part.stop().finally(() => process.exit()))
  process.send!({ answer: 'ready' })
}
