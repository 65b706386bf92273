import { InvalidArgumentError } from 'commander'

/** For options that count something. */
export function wholeNumber(low: number, high: number): (given: string) => number {
  return given => {
    const number = Number(given)
    if (/^\d+$/.test(given) && number >= low && number <= high) return number
    throw new InvalidArgumentError(`Expected a whole number from ${low} to ${high.toLocaleString('en')}.`)
  }
}
