/** What the values of settings look like: how each kind is read, and what is said of one that cannot be. */
import { HeaderValue } from '@carillon/contract'
import { z } from 'zod'
import { parseNetwork } from '../outgoing/address-guard.ts'
import { parseNatsServers } from '../streams/nats-servers.ts'
import { isRedisUrl, REDIS_URL_EXPECTED } from './redis-url.ts'

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]+$/, `Expected a whole number from ${min} to ${max}.`)
    .transform(Number)
    .refine(n => n >= min && n <= max, `Expected a whole number from ${min} to ${max}.`)

export const share = z
  .string()
  .regex(/^[0-9]*\.?[0-9]+$/, 'Expected a number from 0 to 1.')
  .transform(Number)
  .refine(n => n <= 1, 'Expected a number from 0 to 1.')

export const optionalPort = z
  .string()
  .regex(/^[0-9]*$/, 'Expected a port from 0 to 65535, or nothing.')
  .transform(text => (text === '' ? undefined : Number(text)))
  .refine(port => port === undefined || port <= 65_535, 'Expected a port from 0 to 65535, or nothing.')

export const url = (...protocols: string[]) =>
  z.string().refine(
    value => {
      try {
        return value === '' || protocols.includes(new URL(value).protocol)
      } catch {
        return false
      }
    },
    `Expected an address starting with ${protocols.map(p => `${p}//`).join(' or ')}.`,
  )

export const redisUrl = z.string().refine(value => value === '' || isRedisUrl(value), REDIS_URL_EXPECTED)

export const list = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .transform(partsOf)
    .pipe(z.array(z.enum(names)).min(1))

export const headers = z.string().transform((value, context) => {
  if (value === '') return {}
  try {
    return z.record(z.string(), HeaderValue(4000)).parse(JSON.parse(value))
  } catch {
    context.addIssue({ code: 'custom', message: 'Expected a JSON object of strings in printable ASCII.' })
    return z.NEVER
  }
})

export function parseNetworks(value: string, context: z.RefinementCtx): string[] {
  const blocks = partsOf(value)
  for (const block of blocks) {
    try {
      parseNetwork(block)
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${(error as Error).message}.` })
    }
  }
  return blocks
}

export function checkNatsServers(value: string, context: z.RefinementCtx): void {
  try {
    if (value !== '') parseNatsServers(value)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
}

export function partsOf(list: string): string[] {
  return list
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
