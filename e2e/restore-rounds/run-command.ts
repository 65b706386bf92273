/** A command of the built product that has to succeed; gives what it prints as JSON. */
import { runCarillon, type Settings } from '../carillon-process.ts'

export async function runCommand<Answer = unknown>(args: string[], settings: Settings): Promise<Answer> {
  const command = runCarillon([...args, '--json'], settings)
  const { code, signal } = await command.exited
  if (code !== 0)
    throw new Error(`carillon ${args.join(' ')} ended with ${code ?? signal}: ${command.stderr}`)
  return JSON.parse(command.stdout) as Answer
}
