/** npm hands a SIGTERM only to the shell it runs us in, and the shell dies of it without a word to us. */

const pollMs = 250

/** Ends this process, in its own orderly way, once the npm that started it is gone. */
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
