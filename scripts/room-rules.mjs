/** Rooms of server/src that import each other in a circle are one room, or a third one is missing. Tests do not count. */
import { options, TEST } from './import-rules.mjs'

export default {
  forbidden: [
    {
      name: 'rooms import each other in no circle',
      severity: 'error',
      scope: 'folder',
      from: { path: '^server/src/' },
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: TEST } },
}
