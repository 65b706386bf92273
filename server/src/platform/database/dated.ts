/** A type of the API as its row comes from the database: the named times are dates. */
export type Dated<T, Keys extends keyof T> = {
  [K in keyof T]: K extends Keys ? (null extends T[K] ? Date | null : Date) : T[K]
}
