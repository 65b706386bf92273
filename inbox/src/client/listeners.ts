/** Those who want to hear of something, until they say otherwise. */
export interface Listeners<T> {
  add(listener: (value: T) => void): () => void
  tell(value: T): void
}

export function createListeners<T>(): Listeners<T> {
  const all = new Set<(value: T) => void>()
  return {
    add(listener) {
      all.add(listener)
      return () => all.delete(listener)
    },
    tell(value) {
      for (const listener of all) listener(value)
    },
  }
}
