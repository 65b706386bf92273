/** The calls of one run: how many, how large, and which of them wait. A script that exceeds the limits is ended. */
import { type Answer, type Call, MAX_CALL_BYTES } from './messages.ts'
import { RunFailure } from './run-failure.ts'

export interface HostCalls {
  /** Answers the call's number. Throws when the run is over; arguments are missing if they are too long. */
  send(name: string, argsJson: string | undefined): number
  /** An answer came from the process. */
  accept(answer: Answer): void
  /** The next answer; there has to be a call that waits for one. */
  next(): Promise<Answer>
  isWaiting(): boolean
  /** Set once a limit was exceeded, whatever the script makes of it. */
  readonly failure: RunFailure | undefined
}

const MAX_CALLS = 1000
/** How many the host works on at once; the others wait in here. */
const MAX_AT_HOST = 16
/** Scripts often call without awaiting, so many may wait, as long as they are small. */
const MAX_WAITING_BYTES = 1024 * 1024

export function createHostCalls(run: number, post: (call: Call) => void): HostCalls {
  const waiting: Call[] = []
  const answers: Answer[] = []
  let wake: (() => void) | undefined
  let failure: RunFailure | undefined
  let count = 0
  let atHost = 0
  let waitingBytes = 0

  function fail(message: string): never {
    failure ??= new RunFailure('exception', message)
    throw failure
  }

  function hand(call: Call): void {
    atHost++
    post(call)
  }

  function handNext(): void {
    const next = waiting.shift()
    if (next === undefined) return
    waitingBytes -= next.argsJson.length
    hand(next)
  }

  return {
    get failure() {
      return failure
    },
    isWaiting: () => atHost > 0 || answers.length > 0,
    send(name, argsJson) {
      if (failure !== undefined) throw failure
      if (argsJson === undefined || Buffer.byteLength(argsJson) > MAX_CALL_BYTES)
        fail(`The script called ${name} with ${tooMuch}.`)
      if (++count > MAX_CALLS) fail(`The script made more than ${MAX_CALLS.toLocaleString('en')} calls.`)
      const call: Call = { type: 'call', run, id: count, name, argsJson }
      if (atHost < MAX_AT_HOST) hand(call)
      else {
        waiting.push(call)
        waitingBytes += argsJson.length
        if (waitingBytes > MAX_WAITING_BYTES)
          fail('The script made too many calls without awaiting their answers.')
      }
      return call.id
    },
    accept(answer) {
      atHost--
      answers.push(answer)
      handNext()
      wake?.()
    },
    async next() {
      if (answers.length === 0) await new Promise<void>(resolve => (wake = resolve))
      return answers.shift()!
    },
  }
}

export const tooMuch = `more than ${MAX_CALL_BYTES / 1024} KiB`
