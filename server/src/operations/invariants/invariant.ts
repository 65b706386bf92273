/** What the reconciler is told: which rows to look at in which order, and what must hold of each. */

/** Something that must hold of every row at every moment, or again after a while. The texts of SQL speak of a row `x`. */
export interface Invariant {
  /** In metrics and as the subject of system events. */
  name: string
  /** What holds, as a sentence. */
  holds: string
  /** What an operator does about a violation. */
  advice: string
  /** How long a row must have been seen broken and unchanged: what lasts no longer is on its way. */
  graceSeconds: number
  /** It does not hold of x. */
  broken: string
  /** Names the row to people. */
  item: string
  /** Since when, as far as the row tells. */
  since: string
  /** Changes when the row moves. */
  state?: string
  /** What else an operator wants to know, as jsonb. */
  details?: string
  /** Rows that are looked at for each x, where several of them may be broken. */
  from?: string
  /** Another part raises an event about the same condition, so that a second one would only repeat it. */
  isToldElsewhere?: true
}

/** Rows in the order of a unique index, looked at in portions. */
export interface Walk {
  name: string
  /** The columns of the index, with their types. */
  key: [column: string, type: string][]
  /** `condition` limits the rows and names the columns of the key by `x`; it may be empty. */
  rows: (condition: string) => string
  portion: number
  invariants: Invariant[]
}

/** A walk through a table by its primary key, or by a unique partial index with the condition `where`. */
export function tableWalk(options: {
  name: string
  table: string
  key: Walk['key']
  /** Besides the key: what the invariants ask about. */
  columns: string[]
  where?: string
  portion?: number
  invariants: Invariant[]
}): Walk {
  const { name, table, key, columns, where = '', invariants } = options
  const read = [...new Set(['tenant_id', ...key.map(([column]) => column), ...columns])]
  return {
    name,
    key,
    portion: options.portion ?? 2000,
    invariants,
    rows(condition) {
      const conditions = [where, condition].filter(text => text !== '').join(' and ')
      return `select ${read.map(column => `x.${column}`).join(', ')} from ${table} x
       ${conditions === '' ? '' : `where ${conditions}`}`
    },
  }
}

/** A transaction commits within this time after a row that it wrote was found, or is a matter of its own. */
export const SOON_SECONDS = 120
/** More than any backlog that is being worked off makes a row wait. */
export const LONG = `interval '1 hour'`
export const LONG_SECONDS = 3600
