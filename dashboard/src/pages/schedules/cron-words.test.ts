import { expect, it } from 'vitest'
import { sayCron } from './cron-words.ts'

it.each([
  ['* * * * *', 'Every minute'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:59 on weekdays'],
  ['0 * * * *', 'Every hour'],
  ['30 * * * *', 'Every hour at :30'],
  ['0 */6 * * *', 'Every 6 hours'],
  ['0 8 * * *', 'Every day at 08:00'],
  ['0 8 * * 1', 'Every Monday at 08:00'],
  ['0 8 * * mon,thu', 'Every Monday and Thursday at 08:00'],
  ['30 8 * * 1-5', 'On weekdays at 08:30'],
  ['0 9,17 * * *', 'Every day at 09:00 and 17:00'],
  ['30 9 28-31 * *', 'On the 28th to 31st at 09:30'],
  ['0 0 1 1 *', 'On the 1st in January at 00:00'],
  ['@weekly', 'Every Sunday at 00:00'],
])('%s is %s', (cron, words) => expect(sayCron(cron)).toBe(words))

it.each(['', 'x', '1 2 3', '0 0 L * *', '0 0 * * 1#2'])('says nothing about %s', cron =>
  expect(sayCron(cron)).toBe(''),
)
