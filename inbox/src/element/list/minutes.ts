/** What is shown as minutes ago becomes older without anything else happening. */
import type { ReactiveControllerHost } from 'lit'

const MINUTE_MS = 60_000

export function everyMinute(host: ReactiveControllerHost, call: () => void): void {
  let clock: ReturnType<typeof setInterval> | undefined
  host.addController({
    hostConnected: () => {
      clock = setInterval(call, MINUTE_MS)
    },
    hostDisconnected: () => clearInterval(clock),
  })
}
