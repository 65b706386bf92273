/** Runs one part in a process of its own, so that whatever it leaves behind ends with it. Told what to do by main.ts. */
import type { Task } from './part.ts'
import { PARTS } from './parts.ts'

// A signal by itself would end this process without stopping what it runs; so would a parent that is gone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('disconnect', () => process.exit(1))

const { name, task } = JSON.parse(process.argv[2]!) as { name: string; task: Task }
const part = PARTS.find(part => part.name === name)!
for await (const round of part.run(task)) await tell(round)
process.exit(0)

function tell(message: object): Promise<void> {
  return new Promise((resolve, reject) =>
    process.send!(message, (error: Error | null) => (error ? reject(error) : resolve())),
  )
}
