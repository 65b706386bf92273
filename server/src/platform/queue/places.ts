/** A limited number of places, such as connections: whoever wants one waits in line, and may give up waiting. */
export interface Places {
  /** Rejects if the signal aborts before there is one. */
  take(signal: AbortSignal): Promise<Place>
  /** Sends away everybody who waits; there will be no more places. */
  close(): void
}

export interface Place {
  /** What it stands for is in use until then, whenever it is left. */
  keepUntil(done: Promise<unknown>): void
  /** Calling it twice does no harm. */
  leave(): void
}

interface Waiting {
  enter(): void
  leave(reason: Error): void
}

export function createPlaces(count: number): Places {
  const line = new Set<Waiting>()
  let taken = 0
  let isClosed = false

  function makePlace(): Place {
    let isLeft = false
    let kept: Promise<unknown> = Promise.resolve()
    return {
      keepUntil(done) {
        kept = done.catch(() => {})
      },
      leave() {
        if (isLeft) return
        isLeft = true
        void kept.then(passOn)
      },
    }
  }

  /** Directly to the next in line, so that nobody can overtake. */
  function passOn(): void {
    const [next] = line
    if (next === undefined) taken--
    else next.enter()
  }

  function wait(signal: AbortSignal): Promise<Place> {
    return new Promise((resolve, reject) => {
      const giveUp = () => waiting.leave(new Error('the attempt was aborted while waiting for a connection'))
      const waiting: Waiting = {
        enter() {
          stopWaiting()
          resolve(makePlace())
        },
        leave(reason) {
          stopWaiting()
          reject(reason)
        },
      }
      const stopWaiting = () => {
        line.delete(waiting)
        signal.removeEventListener('abort', giveUp)
      }
      line.add(waiting)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    async take(signal) {
      if (isClosed || signal.aborted) throw new Error('the attempt was aborted before a connection was free')
      if (taken >= count) return wait(signal)
      taken++
      return makePlace()
    },
    close() {
      isClosed = true
      for (const waiting of line) waiting.leave(new Error('the connections were closed'))
    },
  }
}
