/** Every kind of fault, in the order of the table. */
import type { FaultKind } from './kind.ts'
import { clockAhead, clockBehind } from './kinds/clocks.ts'
import { cutAfterCommit, cutMidQuery } from './kinds/cut-connections.ts'
import { fewFiles } from './kinds/few-files.ts'
import { fullDisk } from './kinds/full-disk.ts'
import { lockedRoutes, openTransaction } from './kinds/locks.ts'
import { overload } from './kinds/overload.ts'
import { httpTooLate, smtpDies, smtpHangs } from './kinds/receivers.ts'
import { readOnly, terminatedBackends, tooManyClients } from './kinds/refusing-database.ts'
import { stoppedPastLease, toldToEnd } from './kinds/signals.ts'
import { delayed, halfOpen } from './kinds/slow-network.ts'
import { twoStarts } from './kinds/two-starts.ts'

export const KINDS: FaultKind[] = [
  cutMidQuery,
  cutAfterCommit,
  delayed,
  halfOpen,
  tooManyClients,
  terminatedBackends,
  readOnly,
  lockedRoutes,
  openTransaction,
  stoppedPastLease,
  toldToEnd,
  fewFiles,
  fullDisk,
  clockAhead,
  clockBehind,
  smtpDies,
  smtpHangs,
  httpTooLate,
  overload,
  twoStarts,
]
