/** npm passes SIGTERM only to the shell that runs us, and the shell ends without passing it on to us. */

const pollMs = 250

/** Sends SIGTERM to this process once the npm that started it is gone, so that it stops gracefully. */
export function stopWithNpm() {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, pollMs)
  timer.unref()
}
